/** Encodes a tone as one MP3 frame. */
import { PITCH_HZ, type Tone } from './melody.ts';

/**
 * The length of a frame in bytes. The format is MPEG 2, layer III, 24 kHz, mono, 32 kbit/s, with 576 samples, which are
 * 24 ms (ISO 13818-3, with the syntax and the code tables of ISO 11172-3). One frequency line of each frame is not
 * zero. There is no bit reservoir, so frames are independent and can be joined in any order.
 */
const FRAME_BYTES = 96;
/** The header: sync word, MPEG 2, layer III, no checksum; 32 kbit/s, 24 kHz, no padding; mono, original. */
const HEADER = 0xfff344c4;
const HEADER_BITS = 32;
const SIDE_INFO_BITS = 72;
/** The width of a frequency line: half the sampling rate over 576 lines. */
const LINE_HZ = 12_000 / 576;
/** The gain of a quarter of full scale, in steps of a quarter of a power of two. */
const LOUDEST_GAIN = 200;

const frames = new Map<string, Buffer>();

/** Returns the frame of a tone. There are few different tones, so each frame is computed once and cached. */
export function mp3Frame(tone: Tone): Buffer {
  const name = `${tone.pitch}/${tone.halvings}`;
  let frame = frames.get(name);
  if (frame === undefined) {
    frame = makeFrame(tone);
    frames.set(name, frame);
  }
  return frame;
}

function makeFrame({ pitch, halvings }: Tone): Buffer {
  const bits = new BitWriter(FRAME_BYTES);
  const line = Math.round((pitch * PITCH_HZ) / LINE_HZ - 0.5);
  const pairs = pitch === 0 ? [] : codesUpTo(line);
  const mainBits = pairs.reduce((sum, [, width]) => sum + width, 0);
  bits.write(HEADER, HEADER_BITS);
  bits.write(0, 9); // main_data_begin, private_bits
  bits.write(mainBits, 12); // part2_3_length: no scale factors, so these are the codes alone
  bits.write(pairs.length, 9); // big_values
  bits.write(LOUDEST_GAIN - 4 * halvings, 8); // global_gain
  bits.write(0, 9 + 1); // scalefac_compress, window_switching_flag
  for (let region = 0; region < 3; region += 1) bits.write(1, 5); // table_select
  bits.write(0, 4 + 3 + 1 + 1); // region0_count, region1_count, scalefac_scale, count1table_select
  if (bits.position !== HEADER_BITS + SIDE_INFO_BITS)
    throw new Error('the side information has another length');
  for (const [code, width] of pairs) bits.write(code, width);
  return bits.bytes;
}

/**
 * Returns the codes up to a line by code table 1 for pairs of lines: `1` is (0, 0), `01` is (1, 0), `001` is (0, 1). A
 * sign bit follows values other than 0.
 */
function codesUpTo(line: number): [code: number, width: number][] {
  const codes = Array.from({ length: Math.floor(line / 2) }, (): [number, number] => [1, 1]);
  codes.push(line % 2 === 0 ? [0b010, 3] : [0b0010, 4]);
  return codes;
}

class BitWriter {
  readonly bytes: Buffer;
  position = 0;

  constructor(length: number) {
    this.bytes = Buffer.alloc(length);
  }

  write(value: number, width: number): void {
    for (let bit = width - 1; bit >= 0; bit -= 1) {
      // Shifting would fail: the header has its highest bit set.
      const isSet = Math.floor(value / 2 ** bit) % 2 === 1;
      if (isSet) this.bytes[this.position >> 3]! |= 0x80 >> (this.position & 7);
      this.position += 1;
    }
  }
}
