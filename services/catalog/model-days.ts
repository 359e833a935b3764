import type { ModelStatisticsReadModel, ModelUse } from '../../db/model-statistics-read-model.ts';
import type { ModelPopularity } from '../../domain/endpoint-performance.ts';
import { createStretches } from './stretches.ts';

/** How much models were used, day by day. */
export interface ModelDays {
  /** Rejects when a day cannot be read; those that are known count. */
  refresh(): Promise<void>;
  /** Undefined when it was not used. */
  of(canonicalSlug: string): ModelPopularity | undefined;
}

const DAY_MS = 86_400_000;
const DAYS = 30;
const DAYS_OF_WEEK = 7;
/** What waited in a spool is added to the day on which it settled. */
const STILL_OPEN_MS = 2 * DAY_MS;

/** Remembers the days that are over and reads only what may still change. Today counts as a day. */
export function createModelDays(
  ledger: Pick<ModelStatisticsReadModel, 'modelUseOn'>,
  now: () => number,
): ModelDays {
  const days = createStretches({
    lengthMs: DAY_MS,
    count: DAYS,
    openMs: STILL_OPEN_MS,
    read: (day) => ledger.modelUseOn(day),
    now,
  });
  let popularity = new Map<string, ModelPopularity>();
  return {
    async refresh() {
      try {
        await days.refresh();
      } finally {
        popularity = addUp(days.entries(), Math.floor(now() / DAY_MS) - DAYS_OF_WEEK);
      }
    },
    of: (canonicalSlug) => popularity.get(canonicalSlug),
  };
}

function addUp(
  days: Iterable<[day: number, uses: ModelUse[]]>,
  beforeWeek: number,
): Map<string, ModelPopularity> {
  const sums = new Map<string, ModelPopularity>();
  for (const [day, uses] of days) {
    for (const { model, requests, tokens } of uses) {
      const sum = sums.get(model) ?? { requests: 0, weeklyTokens: 0 };
      sum.requests += requests;
      if (day > beforeWeek) sum.weeklyTokens += tokens;
      sums.set(model, sum);
    }
  }
  return sums;
}
