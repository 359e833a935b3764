import { describe, expect, test } from '@jest/globals';
import { createMetrics } from '../../../platform/create-metrics.ts';
import { createRequestsInFlight } from '../../../services/rate-limits/requests-in-flight.ts';
import { readScrape } from '../../support/scrape.ts';

const FIRST = { keyId: 1, organizationId: 'a' };
const SECOND = { keyId: 2, organizationId: 'a' };
const OTHER = { keyId: 3, organizationId: 'b' };
const REFUSED = expect.objectContaining({
  code: 'rate_limited',
  options: { reason: 'too_many_in_flight', retryAfterSeconds: 1 },
});

function limited() {
  const metrics = createMetrics(0);
  const requests = createRequestsInFlight({ maxOfKey: 2, maxOfOrganization: 3, metrics });
  const series = (limit: string): string => `sluice_in_flight_refused_total{limit="${limit}"}`;
  return {
    ...requests,
    refused: async (limit: string) => readScrape(await metrics.text()).value(series(limit)) ?? 0,
  };
}

describe('requests in flight', () => {
  test('have a limit for each key', async () => {
    const { enter, refused } = limited();
    enter(FIRST);
    enter(FIRST);
    expect(() => enter(FIRST)).toThrow(REFUSED);
    enter(SECOND);
    expect([await refused('key'), await refused('organization')]).toEqual([1, 0]);
  });

  test('have a limit for all keys of an organization together', async () => {
    const { enter, refused } = limited();
    enter(FIRST);
    enter(FIRST);
    enter(SECOND);
    expect(() => enter(SECOND)).toThrow(REFUSED);
    enter(OTHER);
    expect([await refused('key'), await refused('organization')]).toEqual([0, 1]);
  });

  test('free their places when they end, and refused ones take none', () => {
    const { enter } = limited();
    const leaves = [FIRST, FIRST, SECOND].map(enter);
    for (let n = 0; n < 10; n += 1) expect(() => enter(SECOND)).toThrow(REFUSED);
    for (const leave of leaves) {
      leave();
      enter(SECOND)();
    }
    for (const caller of [SECOND, SECOND, FIRST]) enter(caller);
    expect(() => enter(FIRST)).toThrow(REFUSED);
  });
});
