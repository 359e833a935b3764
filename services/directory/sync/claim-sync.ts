import type { Handle } from '../../../db/connection.ts';
import { createJobRunStore } from '../../../db/directory/job-run-store.ts';
import { RunIsOverError } from './job-step.ts';
import { readsSource } from './require-source.ts';
import type { RunRef } from './sync-deps.ts';

export interface ClaimResult {
  kind: 'claimed';
  /** Whether a source is to be read. */
  reads: boolean;
}

/** Takes the job for this run, unless it has ended or another run has it. */
export async function claimSync(knex: Handle, { jobId, runId }: RunRef): Promise<ClaimResult> {
  const claimed = await createJobRunStore(knex).claim(jobId, runId);
  if (claimed === null) throw new RunIsOverError();
  return { kind: 'claimed', reads: readsSource(claimed) };
}
