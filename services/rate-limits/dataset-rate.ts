/** Limits how often keys and organizations may request datasets. */
import type { Principal } from '../../domain/principal.ts';
import type { RateLimiter, RateVerdict } from './rate-limiter.ts';

/** The limits of requests for one dataset, per key and per organization. Each dataset has its own counts. */
const PER_KEY = { max: 30, window: { kind: 'sliding', ms: 60_000 } } as const;
const PER_ORGANIZATION = { max: 500, window: { kind: 'utc_day' } } as const;

/**
 * Limits requests for datasets per minute of a key and per day of an organization. A request that exceeds the limit per
 * minute does not count in the day.
 */
export function createDatasetRate(limiter: RateLimiter) {
  return {
    /** Counts a request for the dataset. Returns the verdict of the limit that is closer to being reached. */
    async take(
      { keyId, organizationId }: Pick<Principal, 'keyId' | 'organizationId'>,
      dataset: string,
    ): Promise<RateVerdict | undefined> {
      const minute = await limiter.take({ scope: `${dataset}:key:${keyId}`, ...PER_KEY });
      if (minute?.isAllowed === false) return minute;
      const day = await limiter.take({
        scope: `${dataset}:organization:${organizationId}`,
        ...PER_ORGANIZATION,
      });
      if (minute === undefined || day === undefined) return day ?? minute;
      return !day.isAllowed || day.remaining < minute.remaining ? day : minute;
    },
  };
}

export type DatasetRate = ReturnType<typeof createDatasetRate>;
