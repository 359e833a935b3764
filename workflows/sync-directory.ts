/** Runs a directory sync as a workflow whose steps continue after a crash. */
import {
  CancellationScope,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { DirectoryActivities } from '../activities/directory-activities.ts';
import type { SyncFailure, SyncProgress } from '../domain/directory/job.ts';
import { SIGNALS, type SyncDirectoryInput } from '../domain/runs.ts';
import { DATABASE_OPTIONS, SYNC_OPTIONS } from './activity-options.ts';
import { showStatus } from './search-attributes.ts';

const { claimSync } = proxyActivities<DirectoryActivities>(DATABASE_OPTIONS);
const { readDirectorySource, compareDirectory, applyDirectory, finishSync, failSync } =
  proxyActivities<DirectoryActivities>(SYNC_OPTIONS);

/**
 * The time limits of slices. A long step returns after each slice, and the run shows its progress. Slices double, so
 * the history stays short.
 */
const FIRST_SLICE_MS = 10_000;
const LONGEST_SLICE_MS = 40 * 60_000;

/** The outcome of a run. `over` means that the job had ended or belongs to another run. */
type Outcome = 'succeeded' | 'failed' | 'over';

/**
 * Makes an organization's members equal to its directory: claim → read → compare → guard → apply → report.
 *
 * A crash loses nothing: the job's row records the progress, in the same transaction as each page and each chunk of
 * people. A retry continues there, and so does the new run that the sweep starts if a run is lost. Only ids and counts
 * enter the history. A sync requested while this run closes is done by the next run.
 */
export async function syncDirectory(input: SyncDirectoryInput): Promise<{ outcome: Outcome }> {
  const { jobId, organizationId } = input;
  let next = jobId;
  setHandler(defineSignal<[string]>(SIGNALS.nextJob), (id) => {
    next = id;
  });
  const outcome = await runToEnd(jobId);
  // No signal is missed between this test and the end of the run: the server refuses the end while a signal is
  // unhandled.
  if (next !== jobId) {
    showStatus('running');
    await continueAsNew<typeof syncDirectory>({ jobId: next, organizationId });
  }
  return { outcome };
}

async function runToEnd(jobId: string): Promise<Outcome> {
  try {
    const outcome = await run(jobId);
    if (outcome !== 'over') showStatus(outcome);
    return outcome;
  } catch (error) {
    setCurrentDetails('The sync ends because of an error.');
    await CancellationScope.nonCancellable(() => failSync(jobId, 'internal'));
    if (isCancellation(error)) throw error;
    showStatus('failed');
    return 'failed';
  }
}

async function run(jobId: string): Promise<Outcome> {
  setCurrentDetails('Waits for a worker to begin.');
  const claim = await claimSync(jobId);
  if (claim.kind === 'over') return 'over';
  if (claim.reads) {
    setCurrentDetails('Reads the source.');
    const read = await inSlices((sliceMs) => readDirectorySource(jobId, sliceMs), reading);
    if (read.kind === 'over') return 'over';
    if (read.kind === 'failed') return fail(jobId, read.reason);
  }
  setCurrentDetails('Compares the directory with the members.');
  const plan = await compareDirectory(jobId);
  if (plan.kind === 'over') return 'over';
  if (plan.kind === 'failed') return fail(jobId, plan.reason);
  if (plan.kind === 'stopped') return ended('failed', `The guard stopped the sync: ${plan.reason}.`);
  if (plan.kind === 'ended') return ended('succeeded', 'The changes are recorded, and none was applied.');

  setCurrentDetails(`Applies the changes of ${plan.people} people.`);
  const applied = await inSlices((sliceMs) => applyDirectory(jobId, sliceMs), applying);
  if (applied.kind === 'over') return 'over';
  if (applied.kind === 'failed') return fail(jobId, applied.reason);
  await finishSync(jobId);
  return ended('succeeded', `All is applied. People: ${applied.progress.applied ?? 0}.`);
}

type Slice = Awaited<ReturnType<typeof readDirectorySource>>;

/** Repeats a long step until it is done, and shows its progress after each slice. */
async function inSlices(
  step: (sliceMs: number) => Promise<Slice>,
  words: (progress: SyncProgress) => string,
): Promise<Slice> {
  for (let sliceMs = FIRST_SLICE_MS; ; sliceMs = Math.min(2 * sliceMs, LONGEST_SLICE_MS)) {
    const slice = await step(sliceMs);
    if (slice.kind !== 'more') return slice;
    setCurrentDetails(words(slice.progress));
  }
}

function reading({ step, page = 0, people = 0, groups = 0 }: SyncProgress): string {
  const isList = step === 'reading people' || step === 'reading groups';
  const next = isList ? `: page ${page + 1}` : '';
  return `Goes on ${step ?? 'reading'}${next}. People: ${people}. Groups: ${groups}.`;
}

function applying({ applied = 0, toApply = 0 }: SyncProgress): string {
  return `Applies changes. People so far: ${applied} of ${toApply}.`;
}

async function fail(jobId: string, reason: SyncFailure): Promise<Outcome> {
  await CancellationScope.nonCancellable(() => failSync(jobId, reason));
  return ended('failed', `The sync failed: ${reason}.`);
}

function ended(outcome: Outcome, words: string): Outcome {
  setCurrentDetails(words);
  return outcome;
}
