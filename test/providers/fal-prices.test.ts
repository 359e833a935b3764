import { describe, expect, test } from '@jest/globals';
import { unitsOf } from '../../domain/catalog/live-units.ts';
import { costOfReport, quoteVideo } from '../../domain/videos/video-price.ts';
import { bundledCatalogs } from '../../providers/catalog-file.ts';

const catalog = bundledCatalogs().find(({ providers }) => providers.some(({ slug }) => slug === 'fal'))!;
const videoOf = (id: string) => catalog.endpoints.find(({ modelId }) => modelId === id)!;
const pictureOf = (id: string) => catalog.liveEndpoints.find(({ modelId }) => modelId === id)!;

/**
 * The dollars of one video, as fal's pages state them (https://fal.ai/models/<app>/llms.txt, public copies read on
 * 2026-11-28). Those of Kling 3.0 Pro, Wan, FLUX.1 and Nano Banana 2, and of apps for frames, are as the price table of
 * github.com/justintanner/apicity has them, read from fal's pages on 2026-07-22.
 */
const VIDEOS: [
  model: string,
  resolution: string | undefined,
  sound: boolean,
  seconds: number,
  cost: string,
][] = [
  ['google/veo-3.1', '720p', false, 8, '1.6'],
  ['google/veo-3.1', '1080p', true, 8, '3.2'],
  ['google/veo-3.1', '4K', false, 8, '3.2'],
  ['google/veo-3.1', '4K', true, 8, '4.8'],
  ['kwaivgi/kling-v3-pro', undefined, false, 5, '0.56'],
  ['kwaivgi/kling-v3-pro', undefined, true, 5, '0.84'],
  ['kwaivgi/kling-v3-standard', undefined, false, 5, '0.42'],
  ['kwaivgi/kling-v3-standard', undefined, true, 5, '0.63'],
  // $0.014 and $0.0112 for 1,000 tokens: height × width × 24 / 1024 a second, here at 16:9.
  ['bytedance/seedance-2.0', '720p', true, 5, '1.512'],
  ['bytedance/seedance-2.0', '480p', true, 5, '0.6804'],
  ['bytedance/seedance-2.0-fast', '720p', true, 5, '1.2096'],
  ['alibaba/wan-2.7', '720p', true, 5, '0.5'],
  ['alibaba/wan-2.7', '1080p', true, 5, '0.75'],
  ['minimax/hailuo-2.3-pro', undefined, false, 6, '0.49'],
  ['luma/ray-2-flash', '720p', false, 5, '0.4'],
  ['luma/ray-2-flash', '1080p', false, 5, '0.8'],
];

const dollars = (nanos: bigint) => String(Number(nanos) / 1e9);
const video = (resolution: string | undefined, generateAudio: boolean, durationSeconds: number) => ({
  resolution,
  generateAudio,
  durationSeconds,
  hasVideoInput: false,
});

describe('a shipped price of fal', () => {
  test.each(VIDEOS)(
    'makes a video of %s at %s, sound %s, %d s cost $%s',
    (model, resolution, sound, seconds, cost) => {
      const { terms, mostNanos } = quoteVideo(video(resolution, sound, seconds), videoOf(model));
      const estimate = costOfReport(terms, {});
      expect(dollars(estimate)).toBe(cost);
      expect(mostNanos).toBeGreaterThanOrEqual(estimate);
    },
  );

  test('has a test for every endpoint', () => {
    const tested = new Set(VIDEOS.map(([model]) => model));
    expect(new Set(catalog.endpoints.map(({ modelId }) => modelId))).toEqual(tested);
  });

  /** What fal reported for such requests, as recorded by the tests of github.com/justintanner/apicity in April 2026. */
  test.each([
    ['google/veo-3.1', '720p', false, 4, '2.0', '0.8'],
    ['kwaivgi/kling-v3-pro', undefined, false, 5, '4.0', '0.56'],
    ['kwaivgi/kling-v3-standard', undefined, false, 5, '3.0', '0.42'],
    ['bytedance/seedance-2.0', '480p', false, 4, '38.8', '0.5432'],
    ['bytedance/seedance-2.0-fast', '480p', false, 4, '38.8', '0.43456'],
    ['alibaba/wan-2.7', '720p', true, 2, '2', '0.2'],
  ] as const)(
    'bills the units that fal reported of %s at %s, sound %s, %d s: %s are $%s',
    (model, resolution, sound, seconds, units, cost) => {
      const quote = quoteVideo(video(resolution, sound, seconds), videoOf(model));
      const nanos = costOfReport(quote.terms, { billable_units: units });
      expect(dollars(nanos)).toBe(cost);
      expect(quote.mostNanos).toBeGreaterThanOrEqual(nanos);
    },
  );

  test.each([
    ['black-forest-labs/flux-1-dev', '0.025', '1'],
    ['black-forest-labs/flux-1-schnell', '0.003', '1'],
    ['black-forest-labs/flux-2-flex', '0.05', '1'],
    ['google/nano-banana-2', '0.08', '1'],
  ])('makes a picture of %s cost $%s for a megapixel', (model, price, units) => {
    const endpoint = pictureOf(model);
    expect(endpoint.pricing.billableUnit).toBe(price);
    expect(unitsOf(endpoint.units!.usual!, { images: 1, megapixels: 1 })).toBe(units);
    expect(catalog.liveEndpoints).toHaveLength(4);
  });
});
