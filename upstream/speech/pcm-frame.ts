/** Encodes a tone as raw PCM samples. */
import { PITCH_HZ, type Tone } from './melody.ts';

const SAMPLE_RATE = 24_000;
const SAMPLES = 576;
const LOUDEST = 0.5 * 32_767;

const frames = new Map<string, Buffer>();

/**
 * Returns 24 ms of 16-bit little-endian samples. There are few different tones, so each frame is computed once and
 * cached.
 */
export function pcmFrame({ pitch, halvings }: Tone): Buffer {
  const name = `${pitch}/${halvings}`;
  let frame = frames.get(name);
  if (frame === undefined) {
    frame = Buffer.alloc(2 * SAMPLES);
    const step = (2 * Math.PI * pitch * PITCH_HZ) / SAMPLE_RATE;
    for (let i = 0; i < SAMPLES; i += 1) {
      frame.writeInt16LE(Math.round((LOUDEST / 2 ** halvings) * Math.sin(i * step)), 2 * i);
    }
    frames.set(name, frame);
  }
  return frame;
}
