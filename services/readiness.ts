/** Checks for health probes whether this process can reach Postgres and Temporal. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import type { Handle } from '../db/postgres/connection.ts';
import type { OutageDetector } from '../db/postgres/outage-detector.ts';
import { run } from '../db/postgres/statement.ts';

export interface Readiness {
  postgres: boolean;
  temporal: boolean;
  /** True: the process stops. */
  isStopping?: boolean;
}

interface CheckedServices {
  knex: Handle;
  detector: Pick<OutageDetector, 'run'>;
  connection: Connection;
}

export interface ReadinessOptions extends CheckedServices {
  /** Aborted when the process begins to stop. */
  stopping?: AbortSignal;
  /** Returns milliseconds of a clock that never goes back. */
  now?: () => number;
}

const TIMEOUT_MS = 2_000;
/**
 * The time for which callers share a result. Callers need no key, so all their calls within a second cost one query.
 */
const SHARED_FOR_MS = 1_000;

/**
 * Returns a check of whether Postgres and Temporal answer. Callers share a check under way, and its result for a second
 * after it. The check never rejects.
 */
export function createReadinessCheck({
  now = () => performance.now(),
  stopping,
  ...services
}: ReadinessOptions): () => Promise<Readiness> {
  let last: Promise<Readiness> | undefined;
  let endedAtMs = Infinity;
  const check = (): Promise<Readiness> => {
    if (last !== undefined && now() - endedAtMs < SHARED_FOR_MS) return last;
    endedAtMs = Infinity;
    last = checkServices(services).finally(() => (endedAtMs = now()));
    return last;
  };
  return async () => ({ ...(await check()), isStopping: stopping?.aborted === true });
}

/** Queries Postgres and Temporal, each with a timeout of two seconds. */
async function checkServices({ knex, detector, connection }: CheckedServices): Promise<Readiness> {
  const [postgres, temporal] = await Promise.all([
    succeeds(detector.run(() => run(knex, 'select'))),
    succeeds(
      connection.withDeadline(Date.now() + TIMEOUT_MS, () => connection.workflowService.getSystemInfo({})),
    ),
  ]);
  return { postgres, temporal };
}

/**
 * Returns whether the query succeeds in time. The race covers parts without a time limit of their own, such as the
 * wait for a connection.
 */
async function succeeds(query: PromiseLike<unknown>): Promise<boolean> {
  const answered = new AbortController();
  const timeout = delay(TIMEOUT_MS, false, { signal: answered.signal }).catch(() => false);
  const answer = Promise.resolve(query).then(
    () => true,
    () => false,
  );
  return Promise.race([answer, timeout]).finally(() => answered.abort());
}

export type ReadinessCheck = ReturnType<typeof createReadinessCheck>;
