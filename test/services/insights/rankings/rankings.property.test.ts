import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { GenerationRecord } from '../../../../domain/ledger/generation.ts';
import type { Modality } from '../../../../domain/modality.ts';
import { newGenerationId } from '../../../../domain/ids.ts';
import {
  CONTEXT_BUCKETS,
  RANKED_SURFACES,
  RANKINGS_PERIODS,
  type RankingsSlice,
} from '../../../../domain/insights/rankings.ts';
import { daysBetween } from '../../../../domain/utc-day.ts';
import { rebuildDays } from '../../../../services/insights/rankings/close-days.ts';
import type { ModelRankingsQuery } from '../../../../services/insights/rankings/rankings-service.ts';
import { makeGeneration } from '../../../support/make-generation.ts';
import { naiveRankings } from '../../../support/rankings.ts';
import { openRankingsScene, type RankingsScene } from '../../../support/rankings-scene.ts';

/** More than are ranked by name. */
const MODELS = Array.from({ length: 56 }, (_, n) => `a/model-${n}`);
let scene: RankingsScene;
beforeAll(async () => {
  scene = await openRankingsScene(MODELS);
});
afterAll(() => scene.end());

/** The end of 2026 is in week 53, which begins on December 28 and ends in January. */
const FIRST = '2026-12-21';
const YESTERDAY = '2027-01-12';
const NOW = new Date('2027-01-13T09:00:00Z');
const DAYS = daysBetween(FIRST, YESTERDAY);
const day = fc.constantFrom(...DAYS, '2026-12-31', '2027-01-01', '2027-01-03', '2027-01-04');

const modalities = fc.subarray<Modality>(['text', 'image', 'audio', 'video']);
/** Few values, so that many are equal; the edges of the buckets among them. */
const prompt = fc.constantFrom(0, 1, 2, 999, 1_000, 1_001, 10_000, 100_001, 10_000_000, 10_000_001);
const sample = fc.option(
  fc.record({
    category: fc.constantFrom(null, 'programming', 'marketing', 'marketing/seo'),
    languageType: fc.constantFrom('natural', 'programming'),
    weight: fc.constantFrom(1, 100),
  }),
);

const generation: fc.Arbitrary<GenerationRecord> = fc
  .record({
    settledOn: fc.oneof({ weight: 9, arbitrary: day }, { weight: 1, arbitrary: fc.constant('2027-01-13') }),
    atMs: fc.constantFrom(0, 1, 43_200_000, 86_399_999),
    tookMs: fc.constantFrom(0, 900, 3_600_000),
    // The first models are in nearly every day; the last ones make the long tail.
    model: fc.constantFrom(...MODELS, ...MODELS, ...MODELS, 'private/model'),
    isByok: fc.constantFrom(false, false, false, false, true),
    usage: fc.option(fc.record({ prompt, completion: fc.constantFrom(0, 1, 2) }), { freq: 10 }),
    inputModalities: modalities,
    outputModalities: modalities,
    toolCalls: fc.constantFrom(0, 0, 1, 3),
    status: fc.constantFrom('completed', 'failed', 'cancelled'),
    sample,
  })
  .map(({ settledOn, atMs, tookMs, ...rest }) => {
    const settledMs = Date.parse(`${settledOn}T00:00:00Z`) + atMs;
    return makeGeneration({
      ...rest,
      id: newGenerationId(settledMs - tookMs),
      settledAt: new Date(settledMs),
    } as Partial<GenerationRecord>);
  });

const slice: fc.Arbitrary<RankingsSlice> = fc.oneof(
  fc.record(
    {
      dataset: fc.constant('exact' as const),
      surface: fc.constantFrom(...RANKED_SURFACES),
      contextBucket: fc.constantFrom(...(Object.keys(CONTEXT_BUCKETS) as (keyof typeof CONTEXT_BUCKETS)[])),
    },
    { requiredKeys: ['dataset'] },
  ),
  fc.record({
    dataset: fc.constant('sampled' as const),
    category: fc.constantFrom('programming', 'marketing', 'marketing/seo', 'legal'),
  }),
  fc.record({
    dataset: fc.constant('sampled' as const),
    languageType: fc.constantFrom('natural', 'programming'),
  }),
);

/** One that begins after its end is refused. */
const forward = fc
  .tuple(day, day)
  .map((days) => days.toSorted())
  .map(([startDate, endDate]) => ({ startDate: startDate!, endDate: endDate! }));

const query: fc.Arbitrary<ModelRankingsQuery> = fc.record({
  window: fc.oneof(
    forward,
    day.map((startDate) => ({ startDate })),
    day.map((endDate) => ({ endDate })),
    fc.constant({}),
  ),
  period: fc.constantFrom(...RANKINGS_PERIODS),
  slice,
});

test('rankings equal a naive count over random generations and queries', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(generation, { minLength: 1, maxLength: 700, size: 'max' }),
      fc.array(query, { minLength: 25, maxLength: 25 }),
      async (generations, queries) => {
        await scene.clear();
        await scene.record(generations);
        expect(await rebuildDays(scene.close, DAYS, NOW)).toEqual([]);
        const service = scene.serviceAt(() => NOW);
        for (const one of queries) {
          const { rows } = await service.models(one);
          const isSampledDay = one.slice.dataset === 'sampled' && one.period === 'day';
          // Refused before it comes here.
          if (!isSampledDay) expect(rows).toEqual(naiveRankings(generations, MODELS, one, YESTERDAY));
        }
        const before = await scene.tables();
        await rebuildDays(scene.close, DAYS, NOW);
        expect(await scene.tables()).toEqual(before);
      },
    ),
    // Half a thousand generations cannot be made fewer in a reasonable time.
    { numRuns: 12, endOnFailure: true },
  );
});
