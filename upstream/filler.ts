/** Yields so many bytes of one character as they are read, so that a slow reader uses no memory. */
export function* filler(bytes: number, character: string): Generator<Buffer> {
  const block = Buffer.alloc(64 * 1024, character);
  for (let left = bytes; left > 0; left -= block.length)
    yield block.subarray(0, Math.min(left, block.length));
}
