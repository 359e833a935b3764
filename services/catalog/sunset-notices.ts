/** Warns callers and the operator of models in use that expire soon. */
import type { Sunset } from '../../domain/catalog/sunset.ts';
import { type UtcDay, utcDayOf } from '../../domain/utc-day.ts';
import type { Logger } from '../../platform/logger.ts';

/** A model that was used, with its sunset if it has one. */
export interface UsedModel {
  id: string;
  sunset?: Sunset | undefined;
}

/** Creates the notices of one process. It logs each expiring model once a day. */
export function createSunsetNotices(logger: Pick<Logger, 'warn'>, now: () => number = Date.now) {
  const loggedOn = new Map<string, UtcDay>();
  return {
    /** Returns the header `Sunset` for an answer of the model; undefined until its last 30 days. */
    headerFor({ id, sunset }: UsedModel): string | undefined {
      if (sunset === undefined) return undefined;
      const nowMs = now();
      if (nowMs < sunset.announcedAtMs) return undefined;
      const today = utcDayOf(new Date(nowMs));
      if (loggedOn.get(id) !== today) {
        loggedOn.set(id, today);
        const { expirationDate } = sunset;
        logger.warn({ model: id, expirationDate }, 'a model in use expires soon or has expired');
      }
      return sunset.header;
    },
  };
}

export type SunsetNotices = ReturnType<typeof createSunsetNotices>;
