import {
  ActivityFailure,
  ApplicationFailure,
  continueAsNew,
  patched,
  proxyActivities,
} from '@temporalio/workflow';
import type { MaintenanceActivities } from '../activities/maintenance-activities.ts';
import type { SweepActivities } from '../activities/sweep-activities.ts';
import { MAINTENANCE_OPTIONS, PARTITION_OPTIONS } from './activity-options.ts';

const {
  expireOutputsPage,
  expireBodiesPage,
  forgetAnswersPage,
  deleteLeftRequestsPage,
  deleteEndedJobsPage,
  deleteEndedDeliveriesPage,
  deleteAuditEntriesPage,
} = proxyActivities<MaintenanceActivities>(MAINTENANCE_OPTIONS);
const { sweepJobs } = proxyActivities<SweepActivities>(MAINTENANCE_OPTIONS);
const { keepLedgerPartitions, closeRankingsDay } = proxyActivities<MaintenanceActivities>(PARTITION_OPTIONS);

/** One sweep. Only for runs that the version before started: goes with the next release, and its history with it. */
export async function sweep(): Promise<void> {
  await sweepJobs();
}

const MAX_PAGES = 50;

/** What a run has behind it, and the last thing it tried. */
export interface ExpiryProgress<Page extends 'expireOutputsPage' | 'expireBodiesPage' = 'expireOutputsPage'> {
  removed: number;
  failed: number;
  after?: Parameters<MaintenanceActivities[Page]>[0];
}

/**
 * Run by a schedule: removes the files of jobs whose outputs are no longer kept, page by page. It passes by
 * files that cannot be removed, however many, and tells their number: the next one tries them again.
 */
export async function expireOutputs(
  { removed, failed, after }: ExpiryProgress = { removed: 0, failed: 0 },
): Promise<{ removed: number; failed: number }> {
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const page = await expireOutputsPage(after);
    removed += page.removed;
    failed += page.failed;
    if (!page.more) return { removed, failed };
    after = page.after;
  }
  return continueAsNew<typeof expireOutputs>({ removed, failed, ...(after === undefined ? {} : { after }) });
}

/** Run by a schedule: the same for logged inputs and outputs. */
export async function expireBodies(
  { removed, failed, after }: ExpiryProgress<'expireBodiesPage'> = { removed: 0, failed: 0 },
): Promise<{ removed: number; failed: number }> {
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const page = await expireBodiesPage(after);
    removed += page.removed;
    failed += page.failed;
    if (page.after === undefined) return { removed, failed };
    after = page.after;
  }
  return continueAsNew<typeof expireBodies>({ removed, failed, ...(after === undefined ? {} : { after }) });
}

/**
 * Run by a schedule: deletes the answers that were remembered for an `Idempotency-Key`, once they are void, and the
 * counts of rate limits that nobody has asked for since. A backlog goes on in a new run, so that no history grows large.
 */
export async function forgetAnswers(): Promise<void> {
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { more } = await forgetAnswersPage();
    if (!more) return;
  }
  return continueAsNew<typeof forgetAnswers>();
}

/** How many records a run of applyRetention has deleted. */
export interface RetentionReport {
  requests: number;
  jobs: number;
  auditEntries: number;
  /** Absent in runs that versions before began. */
  deliveries?: number;
}

/** Runs of versions before delete no deliveries. Drop it when none of them is alive: a run lasts an hour at most. */
const DELETES_DELIVERIES = 'delete-ended-deliveries';

/**
 * Run by a schedule: deletes video jobs, requests of jobs that have ended, webhook deliveries without a job, and audit
 * entries whose time is over, page by page. One kind that cannot be deleted does not keep the others; the run then fails,
 * and the next one tries again. A backlog goes on in a new run, so that no history grows large.
 */
export async function applyRetention(
  report: RetentionReport = { requests: 0, jobs: 0, auditEntries: 0 },
): Promise<RetentionReport> {
  let { requests, jobs, auditEntries, deliveries = 0 } = report;
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const pages = await Promise.allSettled([
      deleteLeftRequestsPage(),
      deleteEndedJobsPage(),
      deleteAuditEntriesPage(),
      ...(patched(DELETES_DELIVERIES) ? [deleteEndedDeliveriesPage()] : []),
    ]);
    const [requestPage, jobPage, auditPage, deliveryPage] = pages.map((page) =>
      page.status === 'fulfilled' ? page.value : { deleted: 0, more: false },
    );
    requests += requestPage!.deleted;
    jobs += jobPage!.deleted;
    auditEntries += auditPage!.deleted;
    deliveries += deliveryPage?.deleted ?? 0;
    if (requestPage!.more || jobPage!.more || auditPage!.more || deliveryPage?.more) continue;
    const failed = pages.find((page) => page.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return { requests, jobs, auditEntries, deliveries };
  }
  return continueAsNew<typeof applyRetention>({ requests, jobs, auditEntries, deliveries });
}

/** Run by a schedule: makes the days' partitions of the ledger ahead of time and drops those past theirs, whole. */
export async function keepPartitions(): Promise<{ dropped: number; busy: number }> {
  return keepLedgerPartitions();
}

/** What a run of closeRankings has behind it. */
export interface ClosingProgress {
  closed: number;
  /** Absent in runs that versions before began. */
  failed?: number;
  /** The last day that was tried. */
  after?: string;
}

/**
 * Run by a schedule: adds up the rankings of every day that is over and was not added up yet, the oldest first, each in
 * a transaction of its own. It passes by days that cannot be added up and fails in the end, to tell of them. A run that
 * dies or fails is made again, and adds up what is left.
 */
export async function closeRankings(
  { closed, failed = 0, after }: ClosingProgress = { closed: 0 },
): Promise<{ closed: number }> {
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const tried = await tryDay(after);
    if (tried.isClosed) closed += 1;
    else if (tried.day !== undefined) failed += 1;
    after = tried.day;
    if (tried.more) continue;
    if (failed > 0) throw ApplicationFailure.nonRetryable(`days closed: ${closed}, not closed: ${failed}`);
    return { closed };
  }
  return continueAsNew<typeof closeRankings>({ closed, failed, ...(after === undefined ? {} : { after }) });
}

async function tryDay(after?: string): Promise<{ day?: string; isClosed: boolean; more: boolean }> {
  try {
    const { day, more } = await closeRankingsDay(after);
    return { ...(day === undefined ? {} : { day }), isClosed: day !== undefined, more };
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    if (!(cause instanceof ApplicationFailure) || cause.type !== 'DayNotClosedError') throw error;
    return { day: String(cause.details?.[0]), isClosed: false, more: true };
  }
}
