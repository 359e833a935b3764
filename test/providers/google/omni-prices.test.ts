import { describe, expect, test } from '@jest/globals';
import { catalogWith, costsOf } from '../video-costs.ts';

const catalog = catalogWith('google');
const VEO = 'google/veo-3.1-lite';
const [OMNI_1_2, OMNI_1_1] = ['google/gemini-omni-1.2-flash', 'google/gemini-omni-1.1-flash'];
const video = (resolution: string, durationSeconds: number) => {
  return { resolution, durationSeconds, generateAudio: true };
};

/** What a second of video costs by Google's pages, in cents: public copies of them, read on 2026-11-28. */
const SECONDS: [model: string, resolution: string, seconds: number, cents: number][] = [
  [OMNI_1_2, '360p', 10, 23],
  [OMNI_1_2, '720p', 10, 70],
  [OMNI_1_2, '1080p', 10, 105],
  [OMNI_1_2, '4K', 10, 210],
  [OMNI_1_1, '360p', 10, 34],
  [OMNI_1_1, '720p', 10, 102],
  [OMNI_1_1, '1080p', 10, 153],
  [OMNI_1_1, '4K', 10, 305],
];

describe('a shipped price of a video of Google', () => {
  test.each(SECONDS)('makes %s at %s, %d s cost %d cents, and more is reserved', (model, size, s, cents) => {
    const { dollars, most } = costsOf(catalog, model, video(size, s));
    // The estimate has some thoughts and the prompt beside the video.
    expect(Math.abs(Math.round(dollars * 100) - cents)).toBeLessThanOrEqual(1);
    expect(most).toBeGreaterThan(dollars);
  });

  test('stands in the tables of this file for every endpoint', () => {
    const tested = new Set([...SECONDS.map(([model]) => model), VEO]);
    expect(new Set(catalog.endpoints.map(({ modelId }) => modelId))).toEqual(tested);
  });

  /** Tokens that public code recorded of such answers: 3, 7 and 10 seconds at 720p. */
  test.each([
    [OMNI_1_1, 3, { video_tokens: '17376', input_tokens: '21', text_tokens: '412' }, 0.3078195],
    [OMNI_1_1, 7, { video_tokens: '40544', input_tokens: '0', text_tokens: '0' }, 0.70952],
    [OMNI_1_2, 10, { video_tokens: '57920', input_tokens: '2040', text_tokens: '0' }, 0.6981],
  ])('bills %s, %d s, by the reported tokens %j: $%d', (model, seconds, report, cost) => {
    const { dollars, most } = costsOf(catalog, model, video('720p', seconds), report);
    expect(dollars).toBe(cost);
    expect(most).toBeGreaterThan(dollars);
  });

  test.each([
    ['720p', 4, 0.2],
    ['720p', 8, 0.4],
    ['1080p', 8, 0.64],
  ])('makes a video of Veo at %s, %d s cost $%d, which is known before', (resolution, seconds, dollars) => {
    expect(costsOf(catalog, VEO, video(resolution, seconds))).toEqual({ dollars, most: dollars });
  });
});
