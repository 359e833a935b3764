/** Runs the scheduled clean-up of expired data and partitions, and closes the rankings of past days. */
import { ActivityFailure, ApplicationFailure, continueAsNew, proxyActivities } from '@temporalio/workflow';
import type { MaintenanceActivities } from '../activities/maintenance-activities.ts';
import { MAINTENANCE_OPTIONS, PARTITION_OPTIONS } from './activity-options.ts';

const {
  expireOutputsPage,
  expireBodiesPage,
  forgetAnswersPage,
  deleteEndedJobsPage,
  deleteEndedDeliveriesPage,
  deleteAuditEntriesPage,
} = proxyActivities<MaintenanceActivities>(MAINTENANCE_OPTIONS);
const { keepLedgerPartitions, closeRankingsDay } = proxyActivities<MaintenanceActivities>(PARTITION_OPTIONS);

const MAX_PAGES = 50;

/** The progress of a run: its counts, and the last file or body that it tried. */
export interface ExpiryProgress<Page extends 'expireOutputsPage' | 'expireBodiesPage' = 'expireOutputsPage'> {
  removed: number;
  failed: number;
  after?: Parameters<MaintenanceActivities[Page]>[0] | undefined;
}

/**
 * Removes the files of jobs whose outputs are no longer kept, page by page. A schedule runs it. Files that cannot be
 * removed are counted and skipped; the next run tries them again.
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
  return continueAsNew<typeof expireOutputs>({ removed, failed, after });
}

/** Removes expired logged inputs and outputs, page by page. A schedule runs it. */
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
  return continueAsNew<typeof expireBodies>({ removed, failed, after });
}

/**
 * Deletes expired idempotency records and idle counters of rate limits. A schedule runs it. A large backlog continues
 * in a new run, so that no history grows large.
 */
export async function forgetAnswers(): Promise<void> {
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { more } = await forgetAnswersPage();
    if (!more) return;
  }
  return continueAsNew<typeof forgetAnswers>();
}

/** The number of records that a run of applyRetention has deleted, by kind. */
export interface RetentionReport {
  jobs: number;
  auditEntries: number;
  deliveries: number;
}

/**
 * Deletes video jobs, webhook deliveries without a job, and audit entries whose retention is over, page by page. A
 * schedule runs it. When one kind fails, the others are still deleted; the run then fails, and the next one tries
 * again. A backlog continues in a new run, so that no history grows large.
 */
export async function applyRetention(
  report: RetentionReport = { jobs: 0, auditEntries: 0, deliveries: 0 },
): Promise<RetentionReport> {
  let { jobs, auditEntries, deliveries } = report;
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const pages = await Promise.allSettled([
      deleteEndedJobsPage(),
      deleteAuditEntriesPage(),
      deleteEndedDeliveriesPage(),
    ]);
    const [jobPage, auditPage, deliveryPage] = pages.map((page) =>
      page.status === 'fulfilled' ? page.value : { deleted: 0, more: false },
    );
    jobs += jobPage!.deleted;
    auditEntries += auditPage!.deleted;
    deliveries += deliveryPage!.deleted;
    if (jobPage!.more || auditPage!.more || deliveryPage!.more) continue;
    const failed = pages.find((page) => page.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return { jobs, auditEntries, deliveries };
  }
  return continueAsNew<typeof applyRetention>({ jobs, auditEntries, deliveries });
}

/** Creates the daily partitions of the ledger ahead of time and drops the expired ones whole. A schedule runs it. */
export async function keepPartitions(): Promise<{ dropped: number; busy: number }> {
  return keepLedgerPartitions();
}

/** The progress of a run of closeRankings. */
export interface ClosingProgress {
  closed: number;
  failed: number;
  /** The last day that was tried. */
  after?: string | undefined;
}

/**
 * Adds up the rankings of every past day that lacks them or has grown since, the oldest first, each in its own
 * transaction. A schedule runs it. Days that cannot be added up are skipped, and the run fails at its end to report
 * them. A repeated run adds up the days that are left.
 */
export async function closeRankings(
  { closed, failed, after }: ClosingProgress = { closed: 0, failed: 0 },
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
  return continueAsNew<typeof closeRankings>({ closed, failed, after });
}

async function tryDay(after?: string) {
  try {
    const { day, more } = await closeRankingsDay(after);
    return { day, isClosed: day !== undefined, more };
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    if (!(cause instanceof ApplicationFailure) || cause.type !== 'DayNotClosedError') throw error;
    return { day: String(cause.details?.[0]), isClosed: false, more: true };
  }
}
