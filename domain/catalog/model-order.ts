/** Sorts lists of models by age, popularity, price, context, speed or benchmarks. */
import type { EndpointPerformance, ModelPopularity, Percentiles } from './endpoint-performance.ts';
import type { ListedModel } from './listed-model.ts';
import { parsePrice } from './token-price.ts';

export const MODEL_SORTS = [
  'most-popular',
  'newest',
  'top-weekly',
  'pricing-low-to-high',
  'pricing-high-to-low',
  'context-high-to-low',
  'throughput-high-to-low',
  'latency-low-to-high',
  'intelligence-high-to-low',
  'coding-high-to-low',
  'agentic-high-to-low',
  'design-arena-elo-high-to-low',
] as const;
export type ModelSort = (typeof MODEL_SORTS)[number];

/** Usage and performance of models and endpoints, as measured by the ledger. */
export interface ModelMeasures {
  popularityOf(model: ListedModel): ModelPopularity;
  performanceOf(model: ListedModel, endpoint: ListedModel['endpoints'][number]): EndpointPerformance;
}

/** Compares models by age, newest first. This is the default order, and every other sort uses it for ties. */
export function byAge(a: ListedModel, b: ListedModel): number {
  const age = b.createdAt.getTime() - a.createdAt.getTime();
  if (age !== 0) return age;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

/** Sorts models that are in the order of `byAge`. Models with an unknown measure come last in every sort. */
export function sortModels(
  models: readonly ListedModel[],
  sort: ModelSort,
  measures: ModelMeasures,
): ListedModel[] {
  if (sort === 'newest') return [...models];
  const ranked = models.map((model) => ({ model, rank: rankOf(model, sort, measures) }));
  ranked.sort((a, b) => {
    if (a.rank === b.rank) return 0;
    if (a.rank === null || b.rank === null) return a.rank === null ? 1 : -1;
    return a.rank < b.rank ? -1 : 1;
  });
  return ranked.map(({ model }) => model);
}

/** Returns the rank of a model; null if unknown. The lowest rank comes first. */
function rankOf(
  model: ListedModel,
  sort: Exclude<ModelSort, 'newest'>,
  measures: ModelMeasures,
): number | bigint | null {
  switch (sort) {
    case 'most-popular':
      return -measures.popularityOf(model).requests;
    case 'top-weekly':
      return -measures.popularityOf(model).weeklyTokens;
    case 'pricing-low-to-high':
      return priceOf(model);
    case 'pricing-high-to-low':
      return -priceOf(model);
    case 'context-high-to-low':
      return highest(model.contextLength);
    case 'throughput-high-to-low':
      return highest(best(mediansOf(model, measures, 'throughput'), Math.max));
    case 'latency-low-to-high':
      return best(mediansOf(model, measures, 'latencyMs'), Math.min);
    case 'intelligence-high-to-low':
      return highest(model.benchmarks?.intelligenceIndex ?? null);
    case 'coding-high-to-low':
      return highest(model.benchmarks?.codingIndex ?? null);
    case 'agentic-high-to-low':
      return highest(model.benchmarks?.agenticIndex ?? null);
    case 'design-arena-elo-high-to-low': {
      const elos = model.benchmarks?.designArena.map(({ elo }) => elo) ?? [];
      return highest(best(elos, Math.max));
    }
  }
}

/** Returns the price of one token in and one out together, which sorts as their average does. */
function priceOf({ endpoints: [{ pricing }] }: ListedModel): bigint {
  return parsePrice(pricing.prompt) + parsePrice(pricing.completion);
}

function highest(value: number | null): number | null {
  return value === null ? null : -value;
}

function best(values: number[], choose: (...values: number[]) => number): number | null {
  return values.length === 0 ? null : choose(...values);
}

function mediansOf(model: ListedModel, measures: ModelMeasures, what: 'latencyMs' | 'throughput'): number[] {
  return model.endpoints.flatMap((endpoint) => {
    const measured: Required<Percentiles> | null = measures.performanceOf(model, endpoint)[what];
    return measured === null ? [] : [measured.p50];
  });
}
