import type { ModelUse } from '../../../db/catalog/model-statistics-read-model.ts';
import type { ModelPopularity } from '../../../domain/catalog/endpoint-performance.ts';
import { DAYS_OF_WEEK } from './statistics-window.ts';

/**
 * Adds up the usage of models by canonical slug. Days are numbered since the epoch, and the current day is included.
 */
export function addUpDays(
  days: ReadonlyMap<number, ModelUse[]>,
  today: number,
): Map<string, ModelPopularity> {
  const sums = new Map<string, ModelPopularity>();
  for (const [day, uses] of days) {
    for (const { model, requests, tokens } of uses) {
      const sum = sums.get(model) ?? { requests: 0, weeklyTokens: 0 };
      sum.requests += requests;
      if (day > today - DAYS_OF_WEEK) sum.weeklyTokens += tokens;
      sums.set(model, sum);
    }
  }
  return sums;
}
