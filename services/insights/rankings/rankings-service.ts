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

/** An answer, which is equal for all callers until another day is closed. */
export interface Rankings<Row> {
  rows: Row[];
  window: DayWindow;
  /**
   * The time at which the newest day of the dataset was closed. Before any day was closed, the first day that a row
   * could have.
   */
  asOf: Date;
}

/** A day that is closed is seen this much later at most. */
const REMEMBERED_MS = 60_000;
/** The most rows of all cached answers together. */
const REMEMBERED_ROWS = 200_000;

/**
 * Answers from the closed days, each question once a minute however many ask it. Throws 400 when nothing of the
 * window is over yet.
 */
export function createRankingsService(readModel: RankingsReadModel, now: () => Date = () => new Date()) {
  const models = createMemory<RankedModel>(now);
  const apps = createMemory<RankedApp>(now);

  const rankingsOf = async <Row>(
    window: DayWindow,
    read: () => Promise<Row[]>,
    firstDayIn?: (rows: Row[]) => UtcDay | undefined,
  ): Promise<Rankings<Row>> => {
    // Read first: a day that is closed in between is in a dataset that says to be older, never the other way round.
    const closedAt = await readModel.closedAt();
    const rows = await read();
    return { rows, window, asOf: closedAt ?? startOf(firstDayIn?.(rows) ?? window.startDate) };
  };

  return {
    async models({ window: asked, period, slice }: ModelRankingsQuery): Promise<Rankings<RankedModel>> {
      const window = windowOf(asked, now());
      return models.get(JSON.stringify([window, period, slice]), () =>
        rankingsOf(
          window,
          () => readModel.models(window, period, slice),
          ([first]) => first?.date,
        ),
      );
    },
    async apps({ window: asked, sort, limit, offset }: AppRankingsQuery): Promise<Rankings<RankedApp>> {
      const window = windowOf(asked, now());
      return apps.get(JSON.stringify([window, sort, limit, offset]), () =>
        rankingsOf(window, () => readModel.apps(window, sort, { limit, offset })),
      );
    },
  };
}

export type RankingsService = ReturnType<typeof createRankingsService>;

function windowOf(asked: Partial<DayWindow>, now: Date): DayWindow {
  const window = resolveWindow(asked, now);
  if (window.startDate <= window.endDate) return window;
  const message = `must not be after ${window.endDate}, the last day that is over`;
  throw invalidRequest({ path: 'query.start_date', message });
}

/** Caches answers. Callers share a read under way, and a failed read is repeated. */
function createMemory<Row>(now: () => Date) {
  const known = new LRUCache<string, { rankings: Rankings<Row>; readAtMs: number }>({
    maxSize: REMEMBERED_ROWS,
    sizeCalculation: ({ rankings }) => rankings.rows.length + 1,
  });
  const reading = new Map<string, Promise<Rankings<Row>>>();
  return {
    get(question: string, read: () => Promise<Rankings<Row>>): Promise<Rankings<Row>> {
      const remembered = known.get(question);
      const nowMs = now().getTime();
      if (remembered !== undefined && nowMs - remembered.readAtMs < REMEMBERED_MS) {
        return Promise.resolve(remembered.rankings);
      }
      const underWay = reading.get(question);
      if (underWay !== undefined) return underWay;
      const started = read()
        .then((rankings) => {
          known.set(question, { rankings, readAtMs: nowMs });
          return rankings;
        })
        .finally(() => reading.delete(question));
      reading.set(question, started);
      return started;
    },
  };
}
