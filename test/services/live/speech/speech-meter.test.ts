import { describe, expect, test } from '@jest/globals';
import { createSpeechMeter } from '../../../../services/live/speech/speech-meter.ts';

/** A frame of these four bytes and as many zeros as its header tells. */
function frame(header: number, bytes: number): Buffer {
  const made = Buffer.alloc(bytes);
  made.writeUInt32BE(header);
  return made;
}

/** MPEG 1, 128 kbit/s, 44.1 kHz, with and without padding; MPEG 2, 32 kbit/s, 24 kHz; MPEG 2.5, 8 kbit/s, 8 kHz. */
const LARGE = frame(0xfffb9044, 417);
const PADDED = frame(0xfffb9244, 418);
const SMALL = frame(0xfff344c4, 96);
const SMALLEST = frame(0xffe318c4, 72);

function secondsOf(format: 'mp3' | 'pcm', ...pieces: Uint8Array[]): number {
  const meter = createSpeechMeter(format);
  for (const piece of pieces) meter.addBytes(piece);
  return meter.seconds;
}

describe('the measured length of audio', () => {
  test('follows from the bytes of PCM', () => {
    expect(secondsOf('pcm', Buffer.alloc(24_000), Buffer.alloc(12_000))).toBe(0.75);
  });

  test.each([
    ['MPEG 1', LARGE, 1_152 / 44_100],
    ['MPEG 1 with padding', PADDED, 1_152 / 44_100],
    ['MPEG 2', SMALL, 576 / 24_000],
    ['MPEG 2.5', SMALLEST, 576 / 8_000],
  ])('follows from the frames of MP3: %s', (_what, one, seconds) => {
    expect(secondsOf('mp3', Buffer.concat([one, one, one]))).toBeCloseTo(3 * seconds, 9);
  });

  test('stays the same for MP3 of varying bit rates and cut anywhere', () => {
    const all = Buffer.concat([LARGE, SMALL, PADDED, LARGE]);
    const whole = secondsOf('mp3', all);
    expect(whole).toBeCloseTo((3 * 1_152) / 44_100 + 576 / 24_000, 9);
    expect(secondsOf('mp3', ...Array.from(all, (byte) => Buffer.from([byte])))).toBe(whole);
  });

  test('leaves out the tags of MP3', () => {
    const tag = Buffer.alloc(10 + 300);
    tag.write('ID3\u0004', 'latin1');
    // 300 in seven bits a byte.
    tag.set([2, 44], 8);
    tag.fill(0xff, 10);
    const ending = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125)]);
    expect(secondsOf('mp3', tag, SMALL, ending)).toBeCloseTo(0.024, 9);
  });

  test('includes the sound after bytes that are no frame of MP3', () => {
    const gap = Buffer.from([0, 0xff, 0, 0xff, 0xff, 1, 2, 3]);
    expect(secondsOf('mp3', SMALL, gap, SMALL)).toBeCloseTo(0.048, 9);
  });

  test('equals zero for data that is no MP3', () => {
    expect(secondsOf('mp3', Buffer.from('<html>no sound</html>'), Buffer.alloc(100_000))).toBe(0);
  });
});
