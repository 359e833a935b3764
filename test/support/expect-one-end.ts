import { expect } from '@jest/globals';
import { runVerifyLedger } from '../../admin/verify-ledger.ts';
import { createDatabase } from './open-database.ts';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';
import { deliveryEnded, factsOf, ledgerSums, reservedNanos } from './job-facts.ts';
import { ended } from './jobs.ts';
import type { Receiver } from './receiver.ts';

/** What `local/clip-canned` costs. */
export const PRICE_NANOS = '10000000';

/** Requests of this job that reached the provider, by what they asked for. */
export function asked(gateway: Gateway, target: string, jobId: string) {
  return gateway.upstream.requests(target).filter(({ requestId }) => requestId === jobId);
}

/** Waits for a request of this job that the provider has not answered yet. */
export function inFlight(gateway: Gateway, target: string, jobId: string) {
  return eventually(`a ${target} request of ${jobId} in flight`, async () =>
    asked(gateway, target, jobId).find(({ outcome }) => outcome === undefined),
  );
}

/**
 * Under how many keys the job was submitted: the provider makes one job of all submissions under one key,
 * and one of each submission without a key.
 */
function upstreamJobs(gateway: Gateway, jobId: string): number {
  const creates = asked(gateway, 'create', jobId);
  return new Set(creates.map(({ idempotencyKey }, index) => idempotencyKey ?? index)).size;
}

/** The whole promise of a job that went well, whatever died on the way. */
export async function expectCompletedOnce(
  gateway: Gateway,
  receiver: Pick<Receiver, 'received'>,
  jobId: string,
): Promise<void> {
  expect((await ended(gateway, jobId)).status).toBe('completed');
  expect(await factsOf(gateway, jobId)).toEqual({
    status: 'completed',
    failureCode: null,
    error: null,
    submissions: ['accepted'],
    generations: [{ status: 'completed', costNanos: PRICE_NANOS, cancelled: false }],
    events: [`${jobId}-completed`],
    storedOutputs: 1,
  });
  expect(upstreamJobs(gateway, jobId)).toBe(1);
  await expectOneEvent(gateway, receiver, jobId, 'completed');
}

/** The whole promise of a job that did not complete: one end, unbilled unless said otherwise, one event. */
export async function expectEndedOnce(
  gateway: Gateway,
  receiver: Pick<Receiver, 'received'>,
  jobId: string,
  {
    status,
    failureCode = status,
    costNanos = '0',
  }: { status: string; failureCode?: string; costNanos?: string },
): Promise<void> {
  expect((await ended(gateway, jobId)).status).toBe(status);
  expect(await factsOf(gateway, jobId)).toMatchObject({
    status,
    failureCode,
    generations: [{ status, costNanos, cancelled: status === 'cancelled' }],
    events: [`${jobId}-${status}`],
  });
  expect(upstreamJobs(gateway, jobId)).toBeLessThanOrEqual(1);
  await expectOneEvent(gateway, receiver, jobId, status);
}

/** Delivered, perhaps more than once, but always as the same event. */
async function expectOneEvent(
  gateway: Gateway,
  receiver: Pick<Receiver, 'received'>,
  jobId: string,
  status: string,
): Promise<void> {
  expect((await deliveryEnded(gateway, jobId)).status).toBe('delivered');
  const events = receiver.received.map(({ headers }) => String(headers['webhook-id']));
  expect(new Set(events.filter((id) => id.startsWith(jobId)))).toEqual(new Set([`${jobId}-${status}`]));
}

/** Once no job is open: nothing is reserved, and all counters and rollups agree with the ledger. */
export async function expectBalancedBooks(gateway: Gateway): Promise<void> {
  const { generations, ...counters } = await ledgerSums(gateway);
  expect(Number(generations!.requests)).toBeGreaterThan(0);
  expect(counters).toEqual({ organization: generations, keys: generations, days: generations });
  expect(await reservedNanos(gateway)).toBe(0n);
  const { knex, close } = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
  const { text } = await runVerifyLedger(knex).finally(close);
  expect(text).toMatch(/The ledger agrees\.$/);
}
