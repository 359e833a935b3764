/** Makes the steps of a directory sync safe to retry, by recording each with its work in one transaction. */
import type { Handle } from '../../../db/postgres/connection.ts';
import { createJobRunStore } from '../../../db/directory/job-run-store.ts';
import { lockDirectory } from '../../../db/accounts/lock-directory.ts';
import type { SyncCounts, SyncProgress, SyncStep, SyncWarning } from '../../../domain/directory/job.ts';
import { MAX_WARNINGS } from '../../../domain/directory/limits.ts';
import type { SyncCursor, SyncStage } from '../../../domain/directory/sync-cursor.ts';
import type { OwnedJob, RunRef } from './sync-deps.ts';

/** Thrown when the job has ended, or another run has it. */
export class RunIsOverError extends Error {
  constructor() {
    super('the job has ended, or another run has it');
    this.name = 'RunIsOverError';
  }
}

/** Thrown when another attempt of the same run has continued meanwhile. A retry begins where that attempt was. */
class StepOvertakenError extends Error {
  constructor() {
    super('another attempt has gone on with the job');
    this.name = 'StepOvertakenError';
  }
}

/** The record of a step in the row of the job. Counts are added to the earlier ones. */
export interface StepNote {
  cursor: SyncCursor;
  progress?: SyncProgress;
  counts?: Partial<SyncCounts>;
  warnings?: readonly SyncWarning[];
}

/** Returns the job of a run in its current state. */
export async function jobOf(knex: Handle, { jobId, runId }: RunRef): Promise<OwnedJob> {
  const claimed = await createJobRunStore(knex).find(jobId, runId);
  if (claimed === null) throw new RunIsOverError();
  return { ...claimed, runId };
}

type StepWork = (transaction: Handle) => Promise<StepNote>;

/** Makes a step like `makeStep`, under the lock of the directory. */
export function makeLockedStep(knex: Handle, owned: OwnedJob, work: StepWork): Promise<StepNote> {
  return makeStep(knex, owned, work, true);
}

/** Makes one step and its record in one transaction, if the job has not moved since it was read. */
export function makeStep(
  knex: Handle,
  { job, cursor, runId }: OwnedJob,
  work: StepWork,
  locks = false,
): Promise<StepNote> {
  return knex.transaction(async (transaction) => {
    if (locks) await lockDirectory(transaction, job.organizationId);
    const store = createJobRunStore(transaction);
    const present = await store.lock(job.id, runId);
    if (present === null) throw new RunIsOverError();
    if (present.cursor.n !== cursor.n) throw new StepOvertakenError();
    const note = await work(transaction);
    const { progress, counts, warnings } = present.job;
    await store.note(job.id, {
      cursor: { ...note.cursor, n: cursor.n + 1 },
      progress: { ...progress, ...note.progress, ...entered(cursor.stage, note.cursor.stage) },
      counts: addCounts(counts, note.counts ?? {}),
      warnings: [...warnings, ...(note.warnings ?? [])].slice(0, MAX_WARNINGS),
    });
    return note;
  });
}

const STEPS: Partial<Record<SyncStage, SyncStep>> = {
  people: 'reading people',
  groups: 'reading groups',
  merging: 'matching',
  missing_people: 'asking for missing people',
  missing_groups: 'asking for missing groups',
  comparing: 'comparing',
  applying: 'applying',
};

/** Returns the progress to show when a run enters another stage. */
function entered(before: SyncStage, stage: SyncStage): SyncProgress {
  const step = STEPS[stage];
  if (stage === before || step === undefined) return {};
  return stage === 'people' || stage === 'groups' ? { step, page: 0 } : { step };
}

function addCounts(before: Partial<SyncCounts>, more: Partial<SyncCounts>): Partial<SyncCounts> {
  const names = new Set([...Object.keys(before), ...Object.keys(more)]) as Set<keyof SyncCounts>;
  return Object.fromEntries([...names].map((name) => [name, (before[name] ?? 0) + (more[name] ?? 0)]));
}
