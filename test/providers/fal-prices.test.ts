import { describe, expect, test } from '@jest/globals';
import type { VendorReport } from '../../domain/catalog/video-meters.ts';
import { unitsOf } from '../../domain/catalog/live-units.ts';
import { catalogWith, dollarsOf } from './video-costs.ts';

const catalog = catalogWith('fal');
const [none, estimate] = [undefined, {}];

type Video = [model: string, resolution: string | undefined, sound: boolean, seconds: number];

/**
 * The dollars of one video, as fal's pages state them (https://fal.ai/models/<app>/llms.txt, public copies read on
 * 2026-11-28). Those of Kling 3.0 Pro, Wan, FLUX.1 and Nano Banana 2, and of apps for frames, are as the price table of
 * github.com/justintanner/apicity has them, read from fal's pages on 2026-07-22. The reports are what fal reported for
 * such requests, as recorded by the tests of that repository in April 2026.
 */
const VIDEOS: [...Video, report: VendorReport, dollars: number][] = [
  ['google/veo-3.1', '720p', false, 8, estimate, 1.6],
  ['google/veo-3.1', '1080p', true, 8, estimate, 3.2],
  ['google/veo-3.1', '4K', false, 8, estimate, 3.2],
  ['google/veo-3.1', '4K', true, 8, estimate, 4.8],
  ['google/veo-3.1', '720p', false, 4, { billable_units: '2.0' }, 0.8],
  ['kwaivgi/kling-v3-pro', none, false, 5, estimate, 0.56],
  ['kwaivgi/kling-v3-pro', none, true, 5, estimate, 0.84],
  ['kwaivgi/kling-v3-pro', none, false, 5, { billable_units: '4.0' }, 0.56],
  ['kwaivgi/kling-v3-standard', none, false, 5, estimate, 0.42],
  ['kwaivgi/kling-v3-standard', none, true, 5, estimate, 0.63],
  ['kwaivgi/kling-v3-standard', none, false, 5, { billable_units: '3.0' }, 0.42],
  // $0.014 and $0.0112 for 1,000 tokens: height × width × 24 / 1024 a second, here at 16:9.
  ['bytedance/seedance-2.0', '720p', true, 5, estimate, 1.512],
  ['bytedance/seedance-2.0', '480p', true, 5, estimate, 0.6804],
  ['bytedance/seedance-2.0', '480p', false, 4, { billable_units: '38.8' }, 0.5432],
  ['bytedance/seedance-2.0-fast', '720p', true, 5, estimate, 1.2096],
  ['bytedance/seedance-2.0-fast', '480p', false, 4, { billable_units: '38.8' }, 0.43456],
  ['alibaba/wan-2.7', '720p', true, 5, estimate, 0.5],
  ['alibaba/wan-2.7', '1080p', true, 5, estimate, 0.75],
  ['alibaba/wan-2.7', '720p', true, 2, { billable_units: '2' }, 0.2],
  ['minimax/hailuo-2.3-pro', none, false, 6, estimate, 0.49],
  ['luma/ray-2-flash', '720p', false, 5, estimate, 0.4],
  ['luma/ray-2-flash', '1080p', false, 5, estimate, 0.8],
];
/** The dollars of a megapixel. */
const PICTURES: [model: string, price: string][] = [
  ['black-forest-labs/flux-1-dev', '0.025'],
  ['black-forest-labs/flux-1-schnell', '0.003'],
  ['black-forest-labs/flux-2-flex', '0.05'],
  ['google/nano-banana-2', '0.08'],
];

describe('a shipped price of fal', () => {
  test.each(VIDEOS)(
    'makes a video of %s at %s, sound %s, %d s with the report %j cost $%d',
    (model, resolution, generateAudio, durationSeconds, report, dollars) => {
      const video = { resolution, generateAudio, durationSeconds };
      expect(dollarsOf(catalog, model, video, report)).toBe(dollars);
    },
  );

  test.each(PICTURES)('makes a picture of %s cost $%s for a megapixel', (model, price) => {
    const { pricing, units } = catalog.liveEndpoints.find(({ modelId }) => modelId === model)!;
    expect(pricing.billableUnit).toBe(price);
    expect(unitsOf(units!.usual!, { images: 1, megapixels: 1 })).toBe('1');
  });

  test('stands in the tables of this file for every endpoint', () => {
    const tested = [...VIDEOS, ...PICTURES].map(([model]) => model);
    const shipped = [...catalog.endpoints, ...catalog.liveEndpoints].map(({ modelId }) => modelId);
    expect(shipped.toSorted()).toEqual([...new Set(tested)].toSorted());
  });
});
