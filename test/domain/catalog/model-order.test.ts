import { expect, test } from '@jest/globals';
import type { ListedModel } from '../../../domain/catalog/listed-model.ts';
import type { ModelBenchmarks } from '../../../domain/catalog/model-facts.ts';
import { byAge, MODEL_SORTS, type ModelMeasures, sortModels } from '../../../domain/catalog/model-order.ts';
import { makeListedModel } from '../../support/listed-models.ts';

const benchmarks = (index: number): ModelBenchmarks => ({
  intelligenceIndex: index,
  codingIndex: index,
  agenticIndex: index,
  toolSuccessRate: null,
  designArena: [800, 1_000 + index].map((elo) => ({ arena: 'a', category: 'c', elo, rank: 1, winRate: 50 })),
});
const priced = (prompt: string, completion: string) => ({ pricing: { prompt, completion } });

const MODELS: ListedModel[] = [
  makeListedModel(
    { id: 'a/cheap', createdAt: new Date(1), contextLength: 1 },
    priced('0.000001', '0.000001'),
  ),
  makeListedModel(
    { id: 'a/dear', createdAt: new Date(3), contextLength: 9, benchmarks: benchmarks(7) },
    priced('0.000002', '0.000009'),
    { ...priced('0', '0'), providerSlug: 'other' },
  ),
  makeListedModel(
    { id: 'a/middle', createdAt: new Date(2), contextLength: 5, benchmarks: benchmarks(-3) },
    priced('0.000009', '0.000001'),
  ),
  makeListedModel({ id: 'a/unknown', createdAt: new Date(0) }, priced('0', '0')),
].toSorted(byAge);

const percentiles = (p50: number) => ({ p50, p75: p50, p90: p50, p99: p50 });
const used: Record<string, number> = { 'a/cheap': 2, 'a/dear': 1, 'a/middle': 3 };
const measures: ModelMeasures = {
  popularityOf: ({ id }) => ({ requests: used[id] ?? 0, weeklyTokens: (used[id] ?? 0) * 10 }),
  performanceOf: ({ id }, { providerSlug }) => {
    const nothing = { latencyMs: null, throughput: null, uptime5m: null, uptime30m: null, uptime1d: null };
    if (id === 'a/unknown' || id === 'a/cheap') return nothing;
    // The dear model's second endpoint is the quicker one.
    const speed = id === 'a/middle' ? 20 : providerSlug === 'other' ? 30 : 10;
    return { ...nothing, latencyMs: percentiles(1_000 - speed), throughput: percentiles(speed) };
  },
};

const ORDERS: Record<(typeof MODEL_SORTS)[number], string> = {
  newest: 'dear middle cheap unknown',
  'most-popular': 'middle cheap dear unknown',
  'top-weekly': 'middle cheap dear unknown',
  'pricing-low-to-high': 'unknown cheap middle dear',
  'pricing-high-to-low': 'dear middle cheap unknown',
  'context-high-to-low': 'dear middle cheap unknown',
  'throughput-high-to-low': 'dear middle cheap unknown',
  'latency-low-to-high': 'dear middle cheap unknown',
  'intelligence-high-to-low': 'dear middle cheap unknown',
  'coding-high-to-low': 'dear middle cheap unknown',
  'agentic-high-to-low': 'dear middle cheap unknown',
  'design-arena-elo-high-to-low': 'dear middle cheap unknown',
};

test.each(MODEL_SORTS)('models are sorted %s, unknown ones last', (sort) => {
  const ids = sortModels(MODELS, sort, measures).map(({ id }) => id.slice(2));
  expect(ids.join(' ')).toBe(ORDERS[sort]);
});

test('equal models stay in the order of their age, then of their ids', () => {
  const twins = ['a/c', 'a/a', 'a/b'].map((id) => makeListedModel({ id })).toSorted(byAge);
  const sorted = sortModels(twins, 'most-popular', measures);
  expect(sorted.map(({ id }) => id)).toEqual(['a/a', 'a/b', 'a/c']);
});
