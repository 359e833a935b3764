import { describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { type ClipRequest, createClip } from '../../upstream/media/clip.ts';
import type { Pixels } from '../../upstream/media/pixels.ts';

const REQUEST: ClipRequest = {
  model: 'local/clip-1',
  prompt: '',
  width: 320,
  height: 180,
  durationSeconds: 2,
  seed: 1,
  startSeconds: 0,
};

/** A frame as a copy, since the next one is drawn into the same buffer. */
async function frameOf(request: Partial<ClipRequest>, choose: (frames: number) => number): Promise<Pixels> {
  const clip = await createClip({ ...REQUEST, ...request });
  const drawn = clip.draw(choose(clip.frames));
  return { ...drawn, data: Uint8Array.from(drawn.data) };
}

const middle = (frames: number) => Math.floor(frames / 2);

function whitePixels({ data }: Pixels): number {
  let count = 0;
  for (let at = 0; at < data.length; at += 4) {
    if ([data[at], data[at + 1], data[at + 2]].every((channel) => (channel ?? 0) > 235)) count += 1;
  }
  return count;
}

/** The largest difference of any color channel. */
function distance(frame: Pixels, color: [number, number, number]): number {
  let most = 0;
  for (let at = 0; at < frame.data.length; at += 1) {
    if (at % 4 === 3) continue;
    most = Math.max(most, Math.abs((frame.data[at] ?? 0) - (color[at % 4] ?? 0)));
  }
  return most;
}

function picture(color: [number, number, number], width = 64, height = 64): Promise<Buffer> {
  const [r, g, b] = color;
  return sharp({ create: { width, height, channels: 3, background: { r, g, b } } })
    .png()
    .toBuffer();
}

describe('the prompt in a clip', () => {
  test.each([
    ['Latin', 'A lighthouse'],
    ['accents', 'Łódź, Tiếng Việt'],
    ['Greek and Cyrillic', 'Ελλάδα Привет'],
    ['characters without a glyph, as boxes', '日本語 🎬'],
  ])('shows in %s without any font of the machine', async (_, prompt) => {
    const empty = whitePixels(await frameOf({}, middle));
    const written = whitePixels(await frameOf({ prompt }, middle));
    expect(written - empty).toBeGreaterThan(80);
  });

  test('stays inside the frame at any length', async () => {
    const frame = await frameOf({ prompt: 'on and on '.repeat(3000) }, middle);
    const margin = 8;
    for (const x of [margin, frame.width - margin]) {
      for (let y = 0; y < frame.height - margin; y += 1) {
        const at = (y * frame.width + x) * 4;
        expect(Math.max(...frame.data.subarray(at, at + 3))).toBeLessThan(235);
      }
    }
  });
});

describe('frame images of a clip', () => {
  test('become exactly the first and last frame, with text only in between', async () => {
    const request = {
      prompt: 'From red to blue',
      firstFrame: await picture([200, 40, 40]),
      lastFrame: await picture([40, 40, 200]),
    };
    expect(distance(await frameOf(request, () => 0), [200, 40, 40])).toBeLessThanOrEqual(2);
    expect(distance(await frameOf(request, (frames) => frames - 1), [40, 40, 200])).toBeLessThanOrEqual(2);
    expect(whitePixels(await frameOf(request, middle))).toBeGreaterThan(300);
  });

  test('cover the whole frame when their shape differs', async () => {
    const firstFrame = await picture([200, 40, 40], 40, 200);
    expect(distance(await frameOf({ firstFrame }, () => 0), [200, 40, 40])).toBeLessThanOrEqual(2);
  });
});

test('the backdrop moves, and a continuation does not start at the first frame', async () => {
  const start = await frameOf({}, () => 0);
  const later = await frameOf({}, middle);
  expect(Buffer.from(start.data).equals(Buffer.from(later.data))).toBe(false);
  const continued = await frameOf({ startSeconds: 2 }, () => 0);
  expect(Buffer.from(continued.data).equals(Buffer.from(start.data))).toBe(false);
});
