/** Makes a workflow run the only owner of a directory sync job before its first step. */
import type { Handle } from '../../../db/postgres/connection.ts';
import { createJobRunStore } from '../../../db/directory/job-run-store.ts';
import { enterStage, hasRead } from '../../../domain/directory/sync-cursor.ts';
import { makeStep, RunIsOverError } from './job-step.ts';
import { readsSource } from './require-source.ts';
import type { RunRef } from './sync-deps.ts';

export interface ClaimResult {
  kind: 'claimed';
  /** True when a source must still be read. */
  reads: boolean;
}

/** Takes the job for this run, unless it has ended or another run has it. */
export async function claimSync(knex: Handle, ref: RunRef): Promise<ClaimResult> {
  const claimed = await createJobRunStore(knex).claim(ref.jobId, ref.runId);
  if (claimed === null) throw new RunIsOverError();
  const { cursor } = claimed;
  if (!readsSource(claimed) && cursor.stage === 'beginning')
    await makeStep(knex, ref, claimed, async () => ({ cursor: enterStage(cursor, 'comparing') }));
  return { kind: 'claimed', reads: readsSource(claimed) && !hasRead(cursor) };
}
