/** Checks prices that are lower at some hours: how they are read from LiteLLM's map, and what DeepSeek costs when. */
import { expect, test } from '@jest/globals';
import { pricesUnder } from '../../../domain/catalog/price-conditions.ts';
import { bundledCatalogs } from '../../../providers/catalog-file.ts';
import { readPriceSource } from '../../../services/catalog/price-sources/read-price-source.ts';
import type { SourceModel } from '../../../services/catalog/price-sources/source-model.ts';

const read = (model: object): SourceModel => {
  const map = { 'acme/fast': { litellm_provider: 'acme', mode: 'chat', ...model } };
  return readPriceSource(map, new Date('2026-11-28')).models[0]!;
};
const peak = { input_cost_per_token: 2e-6, output_cost_per_token: 1e-5 };
const half = { input_cost_per_token: 1e-6, output_cost_per_token: 5e-6 };

test('the map has lower prices in windows of days', () => {
  const windows = [
    { hours_utc: ['04:00-06:30', '10:00-00:00'], weekdays: [1, 5] },
    { hours_utc: '00:00-00:00', weekdays: [6, 7] },
    { hours_utc: '22:00-02:00' },
  ];
  const { pricing, unread } = read({ ...peak, off_peak_pricing: { ...half, windows } });
  const prices = { prompt: '0.000001', completion: '0.000005' };
  expect(pricing).toMatchObject({ prompt: '0.000002', completion: '0.00001' });
  expect(pricing.overrides).toHaveLength(4);
  expect(pricing.overrides).toEqual(
    expect.arrayContaining([
      { utcDays: ['monday', 'friday'], utcStart: 400, utcEnd: 630, ...prices },
      { utcDays: ['monday', 'friday'], utcStart: 1000, utcEnd: 0, ...prices },
      { utcDays: ['saturday', 'sunday'], ...prices },
      { utcStart: 2200, utcEnd: 200, ...prices },
    ]),
  );
  expect(unread).toEqual([]);
});

test.each([
  [
    'windows of another clock',
    { windows: [{ hours_utc: '04:00-06:00' }], weekday_timezone: 'Asia/Shanghai' },
  ],
  ['windows of some days past midnight', { windows: [{ hours_utc: '22:00-02:00', weekdays: [1] }] }],
  ['a window of all times', { windows: [{ hours_utc: '00:00-00:00' }] }],
  ['no windows', {}],
  ['a price that is not known', { windows: [{ hours_utc: '04:00-06:00' }], cost_per_wish: 1 }],
])('the map leaves lower prices unread that have %s', (_, more) => {
  const { pricing, unread } = read({ ...peak, off_peak_pricing: { ...half, ...more } });
  expect([pricing.overrides, unread]).toEqual([[], ['off_peak_pricing']]);
});

/** The dollars of a million tokens in DeepSeek's table: new and cached ones of the prompt, and those of the answer. */
const [FLASH, PRO] = [
  [0.3, 0.006, 1.2],
  [1.32, 0.044, 3.96],
];

const endpoints = bundledCatalogs().flatMap(({ liveEndpoints }) => liveEndpoints);

test.each([
  ['deepseek-flash', 'before the first peak', '2026-12-04T00:59:59Z', FLASH, 0.5],
  ['deepseek-flash', 'at the start of a peak', '2026-12-04T01:00:00Z', FLASH, 1],
  ['deepseek-flash', 'at the end of a peak', '2026-12-04T04:00:00Z', FLASH, 0.5],
  ['deepseek-v4-pro', 'within the second peak', '2026-12-04T09:59:59Z', PRO, 1],
  ['deepseek-v4-pro', 'after it', '2026-12-04T10:00:00Z', PRO, 0.5],
  ['deepseek-v4-pro', 'before midnight', '2026-12-04T23:59:59Z', PRO, 0.5],
  ['deepseek-v4-pro', 'at the hour of a peak on a Saturday', '2026-12-05T02:00:00Z', PRO, 0.5],
  ['deepseek-v4-pro', 'at the hour of a peak on a Monday', '2026-12-07T02:00:00Z', PRO, 1],
])('%s costs what the page of DeepSeek says %s', (model, _when, at, million, share) => {
  const { pricing } = endpoints.find(({ upstreamModelId }) => upstreamModelId === model)!;
  const startedAtMs = Date.parse(at);
  const { prompt, inputCacheRead, completion } = pricesUnder(pricing, {
    promptTokens: [100, 100],
    startedAtMs,
    endedAtMs: [startedAtMs, startedAtMs],
  });
  const perMillion = [prompt, inputCacheRead, completion].map((price) => Number(price) * 1e6);
  expect(perMillion.map((price) => price.toFixed(6))).toEqual(
    million!.map((price) => (price * share).toFixed(6)),
  );
});
