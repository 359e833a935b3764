/** Answers queries about the daily rankings of models and apps from a short cache. */
import { LRUCache } from 'lru-cache';
import type { RankedApp, RankedModel, RankingsReadModel } from '../../../db/insights/rankings-read-model.ts';
import { invalidRequest } from '../../../domain/errors.ts';
import {
  type AppRankingsSort,
  type DayWindow,
  type RankingsPeriod,
  type RankingsSlice,
  resolveWindow,
} from '../../../domain/insights/rankings.ts';
import { startOf, type UtcDay } from '../../../domain/utc-day.ts';

export interface ModelRankingsQuery {
  window: Partial<DayWindow>;
  period: RankingsPeriod;
  slice: RankingsSlice;
}

export interface AppRankingsQuery {
  window: Partial<DayWindow>;
  sort: AppRankingsSort;
  limit: number;
  offset: number;
}

/** An answer about rankings. It is equal for all callers until another day is closed. */
export interface Rankings<Row> {
  rows: Row[];
  window: DayWindow;
  /**
   * The time at which the newest day of the dataset was closed. When no day is closed yet, the first day that a row
   * could have.
   */
  asOf: Date;
}

/** The time for which an answer is cached; a newly closed day appears at most this much later. */
const CACHED_MS = 60_000;
/** The most rows of all cached answers together. */
const MAX_CACHED_ROWS = 200_000;

/**
 * Answers queries from the closed days. An answer is cached for a minute for all callers. Throws 400 when no day of the
 * window is over yet.
 */
export function createRankingsService(readModel: RankingsReadModel, now: () => Date = () => new Date()) {
  const models = createAnswerCache<RankedModel>(now);
  const apps = createAnswerCache<RankedApp>(now);

  const rankingsOf = async <Row>(
    window: DayWindow,
    read: () => Promise<Row[]>,
    firstDayIn?: (rows: Row[]) => UtcDay | undefined,
  ): Promise<Rankings<Row>> => {
    // Read the time first: if a day is closed in between, the dataset is newer than `asOf` says, and never older.
    const closedAt = await readModel.closedAt();
    const rows = await read();
    return { rows, window, asOf: closedAt ?? startOf(firstDayIn?.(rows) ?? window.startDate) };
  };

  return {
    async models({ window: requested, period, slice }: ModelRankingsQuery): Promise<Rankings<RankedModel>> {
      const window = windowOf(requested, now());
      return models.get(JSON.stringify([window, period, slice]), () =>
        rankingsOf(
          window,
          () => readModel.models(window, period, slice),
          ([first]) => first?.date,
        ),
      );
    },
    async apps({ window: requested, sort, limit, offset }: AppRankingsQuery): Promise<Rankings<RankedApp>> {
      const window = windowOf(requested, now());
      return apps.get(JSON.stringify([window, sort, limit, offset]), () =>
        rankingsOf(window, () => readModel.apps(window, sort, { limit, offset })),
      );
    },
  };
}

export type RankingsService = ReturnType<typeof createRankingsService>;

function windowOf(requested: Partial<DayWindow>, now: Date): DayWindow {
  const window = resolveWindow(requested, now);
  if (window.startDate <= window.endDate) return window;
  const message = `must not be after ${window.endDate}, the last day that is over`;
  throw invalidRequest({ path: 'query.start_date', message });
}

/** Caches answers. Callers share a read under way, and a failed read is repeated. */
function createAnswerCache<Row>(now: () => Date) {
  const answers = new LRUCache<string, { rankings: Rankings<Row>; readAtMs: number }>({
    maxSize: MAX_CACHED_ROWS,
    sizeCalculation: ({ rankings }) => rankings.rows.length + 1,
  });
  const reading = new Map<string, Promise<Rankings<Row>>>();
  return {
    get(key: string, read: () => Promise<Rankings<Row>>): Promise<Rankings<Row>> {
      const cached = answers.get(key);
      const nowMs = now().getTime();
      if (cached !== undefined && nowMs - cached.readAtMs < CACHED_MS) {
        return Promise.resolve(cached.rankings);
      }
      const underWay = reading.get(key);
      if (underWay !== undefined) return underWay;
      const started = read()
        .then((rankings) => {
          answers.set(key, { rankings, readAtMs: nowMs });
          return rankings;
        })
        .finally(() => reading.delete(key));
      reading.set(key, started);
      return started;
    },
  };
}
