/** Runs the reading phase of a directory sync through its stages, in slices of limited time. */
import type { ClaimedJob } from '../../../db/directory/job-run-store.ts';
import { MAX_SYNC_MS, type SyncFailure, type SyncProgress } from '../../../domain/directory/job.ts';
import { FilterRefusedError } from '../sources/scim/create-scim-source.ts';
import { SourceError } from '../sources/source-reader.ts';
import { hasRead, type SyncStage } from '../../../domain/directory/sync-cursor.ts';
import { lookUpMissing } from './look-up-missing.ts';
import { beginReading, readAllInstead } from './begin-reading.ts';
import { failedBySource, requireSource } from './require-source.ts';
import { jobOf } from './job-step.ts';
import { mergeStage } from './merge-stage.ts';
import { readPage } from './read-page.ts';
import type { OwnedJob, RunRef, Slice, SyncDeps } from './sync-deps.ts';

export type SliceResult =
  | { kind: 'more' | 'done'; progress: SyncProgress }
  | { kind: 'failed'; reason: SyncFailure };

/** The time before Temporal's timeout at which a run ends its job itself. */
const END_MARGIN_MS = 5 * 60_000;

/** The stages before which a slice ends, so that the run can show them. */
const SHOWN_STAGES: readonly SyncStage[] = ['groups', 'missing_people'];

/**
 * Reads and stages the source until all is read, a stage to be shown begins, or the time of this slice is over.
 * Continues where an earlier slice stopped.
 */
export async function readSource(deps: SyncDeps, ref: RunRef, slice: Slice): Promise<SliceResult> {
  let firstStage: SyncStage | undefined;
  for (;;) {
    const claimed = await jobOf(deps.knex, ref);
    const { progress } = claimed.job;
    if (hasRead(claimed.cursor)) return { kind: 'done', progress };
    if (hasRunOut(claimed)) return { kind: 'failed', reason: 'timed_out' };
    const { stage } = claimed.cursor;
    firstStage ??= stage;
    const isOver = Date.now() >= slice.untilMs || slice.stopRequested.aborted;
    if (isOver || (stage !== firstStage && SHOWN_STAGES.includes(stage))) return { kind: 'more', progress };
    try {
      await readNext(deps, claimed, slice.cut);
    } catch (error) {
      if (error instanceof FilterRefusedError) await readAllInstead(deps, claimed);
      else if (error instanceof SourceError) return failedBySource(deps, claimed, error);
      else throw error;
    }
  }
}

/** Returns whether the run has no time left. */
export function hasRunOut({ job }: ClaimedJob): boolean {
  const startedAtMs = (job.startedAt ?? job.createdAt).getTime();
  return Date.now() > startedAtMs + MAX_SYNC_MS - END_MARGIN_MS;
}

async function readNext(deps: SyncDeps, claimed: OwnedJob, signal: AbortSignal): Promise<void> {
  const { stage } = claimed.cursor;
  if (stage === 'merging') return mergeStage(deps, claimed);
  const reader = deps.openSource(await requireSource(deps.knex, claimed));
  if (stage === 'beginning') return beginReading(deps, claimed, reader, signal);
  if (stage === 'people' || stage === 'groups') return readPage(deps, claimed, reader, stage, signal);
  const kind = stage === 'missing_people' ? 'people' : 'groups';
  return lookUpMissing(deps, claimed, reader, kind, signal);
}
