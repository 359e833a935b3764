/** Stops video jobs at their provider, and determines what a stopped job costs. */
import { createJobRunStore } from '../../db/videos/job-run-store.ts';
import { createLeftoverStore, type Leftover } from '../../db/videos/leftover-store.ts';
import { liveSubmission } from '../../db/videos/running-job.ts';
import { createSubmissionStore, type Submission } from '../../db/videos/submission-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import type { CallContext } from '../../providers/call-context.ts';
import type {
  CancelAnswer,
  VendorCharge,
  VideoAdapter,
  VideoOperation,
} from '../../providers/video-adapter.ts';
import { adapterOf, CredentialDeletedError, type JobAdapterDeps } from './job-adapter.ts';
import { noteReport } from './note-report.ts';

export interface CancelDeps extends JobAdapterDeps {
  knex: Handle;
}

/**
 * The outcome of a cancel. `nothing_to_cancel`: the vendor never accepted the job, or has ended it. `not_cancelled`:
 * the vendor refuses or cannot cancel.
 */
export type CancelOutcome = 'cancelled' | 'not_cancelled' | 'nothing_to_cancel';

/**
 * Asks the vendor to stop a job that the gateway ends, and records the cost of the job if it ends as cancelled.
 *
 * The cost is what the vendor reports as charged, in units or in money. It is the job's price, or its estimate, if the
 * vendor makes the video anyway and reports nothing.
 * Records nothing while the vendor cannot be reached. When the answer to a submission was lost, looks the submission up
 * first, if the vendor supports it. The call may be repeated after a crash at any line: the vendor is asked again, and
 * its new answer replaces the record.
 */
export async function cancelUpstream(
  deps: CancelDeps,
  jobId: string,
  context: CallContext,
): Promise<CancelOutcome> {
  const runs = createJobRunStore(deps.knex);
  const job = await runs.find(jobId);
  const submission = job && liveSubmission(job);
  if (job === null || submission === null || submission.isClosed) return 'nothing_to_cancel';
  const adapter = await reachable(deps, submission.provider, job);
  if (adapter === undefined || adapter === 'gone') return 'nothing_to_cancel';
  const operation = submission.operation ?? (await findLost(deps, submission, adapter, context));
  if (operation === null) return 'nothing_to_cancel';
  const { n } = submission;
  if (submission.outputs !== null) {
    await runs.noteCancelPrice(jobId, n);
    return 'nothing_to_cancel';
  }
  let end: EndAtVendor = await askToStop(adapter, operation, context);
  if (end.kind === 'not_stopped') {
    // Record the price first. It stands unless the vendor reports that it made no video, for example after an earlier
    // cancel.
    await runs.noteCancelPrice(jobId, n);
    end = await endOf(adapter, operation, context);
  }
  const state = end.kind === 'stopped' ? 'cancelled' : 'completed';
  if (end.report !== undefined) await noteReport(deps, job, submission, { state, report: end.report });
  if (end.kind === 'not_stopped') return 'not_cancelled';
  await runs.noteCancelled(jobId, n, operation, end.upstreamCostNanos ?? null);
  return 'cancelled';
}

/**
 * Asks the vendor to stop an operation that an ended job left there. Returns whether the vendor is done with it. True
 * also when the customer deleted the job's credential. The job's cost is settled already.
 */
export async function cancelLeftover(
  deps: CancelDeps,
  leftover: Leftover,
  context: CallContext,
): Promise<boolean> {
  const { id: jobId, n, provider, operation } = leftover;
  const adapter = await reachable(deps, provider, leftover);
  if (adapter === undefined) return false;
  if (adapter !== 'gone' && !(await isOverAt(adapter, operation, context))) return false;
  await createLeftoverStore(deps.knex).close(jobId, n, operation);
  return true;
}

/** Asks the vendor to stop. Returns whether the vendor stopped the job or had ended it before. */
async function isOverAt(
  adapter: VideoAdapter,
  operation: VideoOperation,
  context: CallContext,
): Promise<boolean> {
  if ((await askToStop(adapter, operation, context)).kind !== 'not_stopped') return true;
  const { state } = await adapter.status(operation, context);
  return state !== 'running';
}

/**
 * Finds the adapter of a job. Returns `gone` when the customer deleted the credential, so that no process can reach the
 * provider again.
 */
async function reachable(
  deps: CancelDeps,
  provider: string,
  access: { credentialId: string | null },
): Promise<VideoAdapter | 'gone' | undefined> {
  try {
    return await adapterOf(deps, provider, access);
  } catch (error) {
    if (error instanceof CredentialDeletedError) return 'gone';
    throw error;
  }
}

async function askToStop(
  adapter: VideoAdapter,
  operation: VideoOperation,
  context: CallContext,
): Promise<CancelAnswer> {
  return (await adapter.cancel?.(operation, context)) ?? { kind: 'not_stopped' };
}

/** Tells whether the vendor stopped a job, and what it charges. */
type EndAtVendor = { kind: 'stopped' | 'not_stopped' } & VendorCharge;

/** Asks for the status of a job that the vendor did not stop. The job may have ended before without a video. */
async function endOf(
  adapter: VideoAdapter,
  operation: VideoOperation,
  context: CallContext,
): Promise<EndAtVendor> {
  const status = await adapter.status(operation, context);
  switch (status.state) {
    case 'running':
      return { kind: 'not_stopped' };
    case 'completed':
      return { kind: 'not_stopped', report: status.report };
    case 'cancelled':
      return { ...status, kind: 'stopped' };
    default:
      return { kind: 'stopped' };
  }
}

async function findLost(
  { knex }: CancelDeps,
  { jobId, n, idempotencyKey }: Submission,
  adapter: VideoAdapter,
  context: CallContext,
): Promise<VideoOperation | null> {
  const found = (await adapter.findOperation?.(idempotencyKey, context)) ?? null;
  if (found === null) return null;
  // The job may have ended during the lookup.
  if (!(await createSubmissionStore(knex).markAccepted(jobId, n, found))) {
    await createLeftoverStore(knex).markOrphaned(jobId, n, found);
  }
  return found;
}
