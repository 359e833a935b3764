import { expect, test } from '@jest/globals';
import { videoSchema } from '../../providers/openai-compatible/video-schemas.ts';

test.each<[unknown, number | undefined]>([
  [55, 55],
  ['55%', 55],
  ['100%', 100],
  ['soon', undefined],
  [null, undefined],
  [{ percent: 5 }, undefined],
])('the progress %j of a video never fails its status', (progress, percent) => {
  expect(videoSchema.parse({ status: 'in_progress', progress }).progress).toBe(percent);
});

test('a video needs no progress', () => {
  expect(videoSchema.parse({ status: 'completed' }).progress).toBeUndefined();
});
