/**
 * Completes the MP4 of the encoder's muxer.
 * - Without a sync sample table every frame counts as a key frame, and a player that seeks shows nothing. A table
 *   (`stss`) is added.
 * - The muxer writes the current time into the headers. It is zeroed, so that the same clip gives the same bytes.
 *
 * Sample offsets stay valid because the muxer puts `moov` after the media data. Boxes: ISO/IEC 14496-12.
 */
export function completeMp4(file: Uint8Array, frames: number, framesPerKeyFrame: number): Buffer {
  const keyFrames: number[] = [];
  for (let frame = 0; frame < frames; frame += framesPerKeyFrame) keyFrames.push(frame);
  return rebuild(Buffer.from(file.buffer, file.byteOffset, file.byteLength), syncSampleTable(keyFrames));
}

const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);
const DATED = new Set(['mvhd', 'tkhd', 'mdhd']);
const HEADER_BYTES = 8;

function rebuild(boxes: Buffer, syncSamples: Buffer): Buffer {
  const rebuilt: Buffer[] = [];
  let at = 0;
  while (at < boxes.length) {
    const size = boxes.readUInt32BE(at);
    if (size < HEADER_BYTES || at + size > boxes.length) throw new Error('malformed MP4 from the encoder');
    const type = boxes.toString('latin1', at + 4, at + HEADER_BYTES);
    const box = boxes.subarray(at, at + size);
    if (CONTAINERS.has(type)) {
      const content = rebuild(box.subarray(HEADER_BYTES), syncSamples);
      rebuilt.push(createBox(type, type === 'stbl' ? Buffer.concat([content, syncSamples]) : content));
    } else {
      rebuilt.push(DATED.has(type) ? withoutDates(box) : box);
    }
    at += size;
  }
  return Buffer.concat(rebuilt);
}

function createBox(type: string, content: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(HEADER_BYTES + content.length);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, content]);
}

/**
 * Zeroes the creation and modification times of a version 0 header, which follow version and flags with four bytes
 * each.
 */
function withoutDates(box: Buffer): Buffer {
  return Buffer.from(box).fill(0, HEADER_BYTES + 4, HEADER_BYTES + 12);
}

/** Returns the sync sample table. Sample numbers count from 1. */
function syncSampleTable(keyFrames: number[]): Buffer {
  const content = Buffer.alloc(8 + keyFrames.length * 4);
  content.writeUInt32BE(keyFrames.length, 4);
  keyFrames.forEach((frame, index) => content.writeUInt32BE(frame + 1, 8 + index * 4));
  return createBox('stss', content);
}
