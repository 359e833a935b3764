/** Ends video jobs: records the result, the cost and the webhook in one transaction. */
import { createJobRequestStore } from '../../db/videos/job-request-store.ts';
import { createJobRunStore } from '../../db/videos/job-run-store.ts';
import { createLeftoverStore } from '../../db/videos/leftover-store.ts';
import { createLedgerStore, isMissingPartition } from '../../db/ledger/ledger-store.ts';
import { liveSubmission, type RunningJob, termsAt } from '../../db/videos/running-job.ts';
import { createSubmissionStore, type Submission } from '../../db/videos/submission-store.ts';
import { createVideoBillStore } from '../../db/videos/video-bill-store.ts';
import { createWebhookStore } from '../../db/webhooks/webhook-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { timestampOfId } from '../../domain/ids.ts';
import type { VendorReport } from '../../domain/catalog/video-meters.ts';
import { type BillingFlag, billingFlagOf } from '../../domain/videos/billing-flag.ts';
import { JOB_FAILURE_MESSAGES, type JobFailureCode, type TerminalEnd } from '../../domain/videos/job.ts';
import type { BodyLog } from '../ledger/bodies/body-log.ts';
import { type RenderedEvent, writeJobEvent } from '../webhooks/write-event.ts';
import { alertBilling, type AlertDeps, flaggedBill } from './alert-billing.ts';
import { logPrompt } from './log-prompt.ts';
import { toGeneration } from './to-generation.ts';

export interface SettleDeps extends AlertDeps {
  outputRetentionMs: number;
  /** The shard of the counters that this process writes. */
  shard: number;
  /** Stores the prompt for workspaces that log or broadcast it. */
  bodies: Pick<BodyLog, 'keep' | 'keepContent'>;
  /** Called after the commit with the workspace, whose broadcast log may have a new row. Neither waits nor throws. */
  onLogged(workspaceIds: readonly string[]): void;
  /** Renders the webhook's exact body; the contract defines its shape. */
  renderEvent(event: EndedJob): RenderedEvent;
}

/** A job at its end, as its webhook presents it. */
export interface EndedJob {
  job: RunningJob;
  end: TerminalEnd;
  error: string | null;
  outputs: number;
  /** The units that the provider reported; null if it reported none. */
  report: VendorReport | null;
  billingFlag: BillingFlag | null;
  endedAt: Date;
}

export interface Settled {
  /** False when the job had ended before. The earlier end stays. */
  first: boolean;
  status: string;
  /** The outbox row, if the job has a callback URL that receives the event. */
  deliveryId: string | null;
}

/**
 * Ends a job once. One transaction writes final state, ledger row, counters and webhook outbox, and deletes the prompt
 * and the media of the request. Settling the job again, such as after a lost answer, changes nothing and reports the
 * first outcome.
 */
export async function settleJob(deps: SettleDeps, jobId: string, end: TerminalEnd): Promise<Settled> {
  try {
    return await settleOnce(deps, jobId, end);
  } catch (error) {
    if (!isMissingPartition(error)) throw error;
    const job = await createJobRunStore(deps.knex).find(jobId);
    if (job === null) throw new Error(`no job ${jobId}`, { cause: error });
    // Create the partition outside the transaction, because that locks the whole table.
    await createLedgerStore(deps.knex).ensurePartition(new Date(timestampOfId(job.generationId)));
    return settleOnce(deps, jobId, end);
  }
}

async function settleOnce(deps: SettleDeps, jobId: string, end: TerminalEnd): Promise<Settled> {
  const { settled, committed } = await deps.knex.transaction((transaction) =>
    settleIn(transaction, deps, jobId, end),
  );
  await committed();
  return settled;
}

interface Settling {
  settled: Settled;
  /** Runs once the transaction is committed. */
  committed(): Promise<void>;
}

async function settleIn(
  transaction: Handle,
  deps: SettleDeps,
  jobId: string,
  end: TerminalEnd,
): Promise<Settling> {
  const endedAt = new Date();
  const expireAt = end.status === 'completed' ? new Date(endedAt.getTime() + deps.outputRetentionMs) : null;
  const job = await createJobRunStore(transaction).end(jobId, end, errorOf(end), expireAt);
  if (job === null) return alreadySettled(transaction, deps, jobId);
  const prompt = await createJobRequestStore(transaction).take(jobId);
  const submissions = await closeSubmissions(transaction, job);
  if (end.status !== 'completed') {
    await createLeftoverStore(transaction).leave(jobId, `the job ended as ${end.status}`);
  }
  const accepted = submissions.find(({ state }) => state === 'accepted');
  const outputs = end.status === 'completed' ? (accepted?.outputs?.length ?? 0) : 0;
  const billingFlag = flagOf(job, end, accepted);
  const report = accepted?.report ?? null;
  const ended = { job, end, error: job.error, outputs, report, billingFlag, endedAt };
  const generation = toGeneration({ ...ended, submissions, accepted });
  // `hasContent` makes the pump wait for the prompt.
  if (prompt?.needsBroadcastContent) generation.broadcast = { ...generation.broadcast, hasContent: true };
  await createLedgerStore(transaction).record(generation, deps.shard);
  if (billingFlag !== null) await createVideoBillStore(transaction).flag(jobId, billingFlag);
  const deliveryId = await writeOutbox(transaction, deps, ended);
  return {
    settled: { first: true, status: end.status, deliveryId },
    async committed() {
      logPrompt(deps.bodies, job, { failure: ended.error, endedAt }, prompt);
      deps.onLogged([job.workspaceId]);
      if (billingFlag === null || accepted === undefined) return;
      deps.flagged(billingFlag);
      deps.logger.info(flaggedBill(job, accepted, billingFlag), 'a bill is flagged');
      await alertBilling(deps, job, accepted, billingFlag);
    },
  };
}

/** Returns why an operator should look at the bill; null if there is no reason. */
function flagOf(job: RunningJob, end: TerminalEnd, accepted: Submission | undefined): BillingFlag | null {
  const terms = accepted && termsAt(job, accepted);
  return terms === undefined ? null : billingFlagOf(end.status, terms, accepted?.report ?? null);
}

/**
 * Closes open submissions and returns all of them. Reads the table again if one was under way, because it may have been
 * sent or answered after the job's row was read.
 */
async function closeSubmissions(transaction: Handle, { id, submissions }: RunningJob): Promise<Submission[]> {
  const store = createSubmissionStore(transaction);
  const abandoned = await store.abandonSending(id);
  const wasUnderWay = abandoned > 0 || submissions.some(({ state }) => state === 'sending');
  return wasUnderWay ? store.list(id) : submissions;
}

async function alreadySettled(transaction: Handle, deps: SettleDeps, jobId: string): Promise<Settling> {
  const job = await createJobRunStore(transaction).find(jobId);
  if (job === null) throw new Error(`no job ${jobId}`);
  const delivery = await createWebhookStore(transaction).findByJob(jobId);
  return {
    settled: { first: false, status: job.status, deliveryId: delivery?.id ?? null },
    async committed() {
      const { billingFlag } = job;
      const accepted = liveSubmission(job);
      // The process that settled the job may have stopped before its alert.
      if (billingFlag !== null && accepted !== null) await alertBilling(deps, job, accepted, billingFlag);
    },
  };
}

async function writeOutbox(transaction: Handle, deps: SettleDeps, ended: EndedJob): Promise<string | null> {
  const { job, end } = ended;
  if (job.callbackUrl === null) return null;
  return writeJobEvent(transaction, {
    ...deps.renderEvent(ended),
    jobId: job.id,
    organizationId: job.organizationId,
    workspaceId: job.workspaceId,
    eventId: `${job.id}-${end.status}`,
    url: job.callbackUrl,
    isDefaultUrl: job.usesDefaultCallback,
  });
}

/** The failures for which the customer gets the provider's message. */
const WITH_PROVIDER_MESSAGE = new Set<JobFailureCode>(['provider_refused', 'provider_failed']);

function errorOf(end: TerminalEnd): { message: string | null; keepsProviderMessage: boolean } {
  if (end.status === 'completed') return { message: null, keepsProviderMessage: false };
  return {
    message: JOB_FAILURE_MESSAGES[end.code],
    keepsProviderMessage: WITH_PROVIDER_MESSAGE.has(end.code),
  };
}
