import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import type { Handle } from '../../db/connection.ts';
import type { OutageDetector } from '../../db/outage-detector.ts';

export interface Readiness {
  postgres: boolean;
  temporal: boolean;
}

interface Asked {
  knex: Handle;
  detector: Pick<OutageDetector, 'ask'>;
  connection: Connection;
}

export interface ReadinessOptions extends Asked {
  /** Returns milliseconds of a clock that never goes back. */
  now?: () => number;
}

const TIMEOUT_MS = 2_000;
/**
 * The time for which callers share a result. No key is needed to ask, so all callers of a second together cost one
 * query.
 */
const SHARED_FOR_MS = 1_000;

/**
 * Returns a check of whether Postgres and Temporal answer. Callers share a check under way, and its result for a second
 * after it. The check never rejects.
 */
export function createReadinessCheck({
  now = () => performance.now(),
  ...asked
}: ReadinessOptions): () => Promise<Readiness> {
  let last: Promise<Readiness> | undefined;
  let endedAtMs = Infinity;
  return () => {
    if (last !== undefined && now() - endedAtMs < SHARED_FOR_MS) return last;
    endedAtMs = Infinity;
    last = ask(asked).finally(() => (endedAtMs = now()));
    return last;
  };
}

/** Asks Postgres and Temporal, each for two seconds at most. */
async function ask({ knex, detector, connection }: Asked): Promise<Readiness> {
  const [postgres, temporal] = await Promise.all([
    answers(detector.ask(async () => knex.raw('select 1').timeout(TIMEOUT_MS))),
    answers(
      connection.withDeadline(Date.now() + TIMEOUT_MS, () => connection.workflowService.getSystemInfo({})),
    ),
  ]);
  return { postgres, temporal };
}

/**
 * Returns whether the query succeeds in time. The race covers parts without a time limit of their own, such as the
 * wait for a connection.
 */
async function answers(question: PromiseLike<unknown>): Promise<boolean> {
  const answered = new AbortController();
  const timeout = delay(TIMEOUT_MS, false, { signal: answered.signal }).catch(() => false);
  const answer = Promise.resolve(question).then(
    () => true,
    () => false,
  );
  return Promise.race([answer, timeout]).finally(() => answered.abort());
}
