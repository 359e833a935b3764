import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import type { Handle } from '../../db/connection.ts';

export interface Readiness {
  postgres: boolean;
  temporal: boolean;
}

const PATIENCE_MS = 2_000;

/** Asks Postgres and Temporal, each for two seconds at most. Never rejects. */
export async function checkReadiness(knex: Handle, connection: Connection): Promise<Readiness> {
  const [postgres, temporal] = await Promise.all([
    answers(knex.raw('select 1').timeout(PATIENCE_MS)),
    answers(
      connection.withDeadline(Date.now() + PATIENCE_MS, () => connection.workflowService.getSystemInfo({})),
    ),
  ]);
  return { postgres, temporal };
}

/** The race is for what a question's own time limit leaves out, such as the wait for a connection. */
async function answers(question: PromiseLike<unknown>): Promise<boolean> {
  const answered = new AbortController();
  const patience = delay(PATIENCE_MS, false, { signal: answered.signal }).catch(() => false);
  const answer = Promise.resolve(question).then(
    () => true,
    () => false,
  );
  return Promise.race([answer, patience]).finally(() => answered.abort());
}
