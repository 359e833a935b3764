/** Removes the byte order mark with which some servers begin JSON, whose grammar does not have it. */

const MARK = Buffer.from('\ufeff');

/** Returns the bytes after a byte order mark. */
export function withoutMark(bytes: Buffer): Buffer {
  const hasMark = bytes[0] === MARK[0] && bytes[1] === MARK[1] && bytes[2] === MARK[2];
  return hasMark ? bytes.subarray(MARK.length) : bytes;
}
