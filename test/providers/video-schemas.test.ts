import { expect, test } from '@jest/globals';
import { videoSchema } from '../../providers/openai-compatible/video-schemas.ts';
import { predictionSchema } from '../../providers/replicate/schemas.ts';

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

test('a video without progress is valid', () => {
  expect(videoSchema.parse({ status: 'completed' }).progress).toBeUndefined();
});

test.each<[unknown, string | undefined]>([
  [{ code: 'policy', message: 'No boats.' }, 'No boats.'],
  [{ code: 400, message: 'No boats.' }, 'No boats.'],
  [{ message: { detail: 'No boats.' } }, 'No boats.'],
  ['No boats.', 'No boats.'],
  [['No boats.'], 'No boats.'],
  [null, undefined],
  [7, undefined],
])("a failed job takes its reason from the provider's error %j", (error, message) => {
  expect(videoSchema.parse({ status: 'failed', error }).error?.message).toBe(message);
  expect(predictionSchema.parse({ status: 'failed', error }).error).toBe(message);
});
