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

async function answers(question: PromiseLike<unknown>): Promise<boolean> {
  try {
    await question;
    return true;
  } catch {
    return false;
  }
}
