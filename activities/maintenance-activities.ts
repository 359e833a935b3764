/** Implements scheduled maintenance as Temporal activities: expiry, retention, partitions and rankings. */
import { ApplicationFailure } from '@temporalio/common';
import { createAuditStore } from '../db/accounts/audit-store.ts';
import { createBudgetAlertStore } from '../db/ledger/budget-alert-store.ts';
import type { Handle } from '../db/postgres/connection.ts';
import { createSyncRetentionStore } from '../db/directory/sync-retention-store.ts';
import { deleteEndedDeliveries } from '../db/webhooks/ended-delivery-store.ts';
import { deleteEndedJobs } from '../db/videos/ended-job-store.ts';
import { createFailingCallbackStore } from '../db/webhooks/failing-callback-store.ts';
import { createEgressLogStore } from '../db/interns/egress-log-store.ts';
import { createIdempotencyStore } from '../db/idempotency-store.ts';
import type { OutputPosition } from '../db/videos/job-output-store.ts';
import type { ExpiryPosition } from '../db/ledger/logged-body-store.ts';
import { createRateLimitStore } from '../db/rate-limit-store.ts';
import { EGRESS_RETENTION_MS } from '../domain/interns/egress.ts';
import { DELIVERY_RETENTION_MS } from '../domain/webhooks/webhook-event.ts';
import { keepBroadcastLog, type KeepLogDeps, type KeptLog } from '../services/broadcast/keep-log.ts';
import {
  closeNextDay,
  type CloseDaysDeps,
  DayNotClosedError,
} from '../services/insights/rankings/close-days.ts';
import type { ExpiredPage } from '../services/expire-objects.ts';
import { expireOutputs, type ExpireDeps } from '../services/videos/expire-outputs.ts';
import {
  keepPartitions,
  type PartitionDeps,
  type PartitionReport,
} from '../services/sweep/keep-partitions.ts';
import { expireBodies, type ExpireBodiesDeps } from '../services/ledger/bodies/expire-bodies.ts';

export interface MaintenanceDeps {
  expire: ExpireDeps;
  partitions: PartitionDeps;
  broadcast: KeepLogDeps;
  rankings: CloseDaysDeps;
  bodies: ExpireBodiesDeps;
  retention: RetentionDeps;
}

export interface RetentionDeps {
  knex: Handle;
  /** Milliseconds for which a job is kept after it has ended. */
  jobsMs: number;
  /** Milliseconds for which audit entries are kept. When undefined, they are never deleted. */
  auditMs: number | undefined;
}

const EXPIRE_PAGE = 100;
const EXPIRE_BODIES_PAGE = 1_000;
const FORGET_PAGE = 1_000;
const ENDED_JOBS_PAGE = 500;
const ENDED_DELIVERIES_PAGE = 1_000;
const AUDIT_PAGE = 5_000;
const SYNC_JOBS_PAGE = 10;
const SYNC_CHANGES_PAGE = 10_000;
const EGRESS_PAGE = 10_000;

/** A page of deletions. `more` means that the page was full, so another one may follow. */
export interface DeletedPage {
  deleted: number;
  more: boolean;
}

/** Creates the activities that the schedules run. */
export function createMaintenanceActivities(deps: MaintenanceDeps) {
  return {
    ...retentionActivities(deps),

    /**
     * Removes the next page of expired files after the given one. Returns the counts, and the last file if there may be
     * more.
     */
    async expireOutputsPage(
      after?: OutputPosition,
    ): Promise<ExpiredPage<OutputPosition> & { more: boolean }> {
      const page = await expireOutputs(deps.expire, EXPIRE_PAGE, after);
      return { ...page, more: page.after !== undefined };
    },

    /** Removes the next page of expired logged bodies after the given one. */
    expireBodiesPage: (after?: ExpiryPosition): Promise<ExpiredPage<ExpiryPosition>> =>
      expireBodies(deps.bodies, EXPIRE_BODIES_PAGE, after),

    /** Deletes expired idempotency records and idle counters of rate limits. Returns whether there may be more. */
    async forgetAnswersPage(): Promise<{ removed: number; more: boolean }> {
      const { knex } = deps.expire;
      const removed = await createIdempotencyStore(knex).deleteExpired(FORGET_PAGE);
      const idle = await createRateLimitStore(knex).deleteIdle(FORGET_PAGE);
      return { removed, more: [removed, idle].includes(FORGET_PAGE) };
    },

    /**
     * Creates and drops partitions of the ledger and of the broadcast log. A failure of one log does not stop the
     * other.
     */
    async keepLedgerPartitions(): Promise<PartitionReport & { broadcast: KeptLog }> {
      const [ledger, broadcast] = await Promise.allSettled([
        keepPartitions(deps.partitions, new Date()),
        keepBroadcastLog(deps.broadcast, new Date()),
      ]);
      if (ledger.status === 'rejected') throw ledger.reason;
      if (broadcast.status === 'rejected') throw broadcast.reason;
      return { ...ledger.value, broadcast: broadcast.value };
    },

    /**
     * Adds up the rankings of the oldest day after the given one that lacks them or has grown since. Returns the day,
     * and whether there are more. If that day cannot be added up, throws a `DayNotClosedError` with the day as its
     * detail.
     */
    async closeRankingsDay(after?: string): Promise<{ day?: string; more: boolean }> {
      try {
        return await closeNextDay(deps.rankings, new Date(), after);
      } catch (error) {
        if (!(error instanceof DayNotClosedError)) throw error;
        const { day, name: type, message } = error;
        deps.rankings.logger.warn({ err: error, day }, 'the rankings of a day could not be added up');
        throw ApplicationFailure.create({ type, message, details: [day] });
      }
    },
  };
}

export type MaintenanceActivities = ReturnType<typeof createMaintenanceActivities>;

/** Builds the activities that delete rows whose retention is over. */
function retentionActivities(deps: MaintenanceDeps) {
  return {
    /** Deletes the next jobs whose retention is over, with everything that belongs to them. */
    async deleteEndedJobsPage(): Promise<DeletedPage> {
      const { knex, jobsMs } = deps.retention;
      const deleted = await deleteEndedJobs(knex, jobsMs, ENDED_JOBS_PAGE);
      return { deleted, more: deleted === ENDED_JOBS_PAGE };
    },

    /**
     * Deletes the next page of each kind of small record that has expired. These are deliveries without a job, records
     * of failed callback URLs that are not used any more, marks of past budget alerts, old directory syncs with their
     * changes, and old requests of interns.
     */
    async deleteEndedDeliveriesPage(): Promise<DeletedPage> {
      const { knex } = deps.retention;
      const failing = createFailingCallbackStore(knex);
      const deletedUrls = await failing.deleteUnused(ENDED_DELIVERIES_PAGE);
      const marks = createBudgetAlertStore(knex);
      const deletedMarks = await marks.deleteEnded(DELIVERY_RETENTION_MS, ENDED_DELIVERIES_PAGE);
      const deleted = await deleteEndedDeliveries(knex, DELIVERY_RETENTION_MS, ENDED_DELIVERIES_PAGE);
      const syncs = createSyncRetentionStore(knex);
      const isMoreOfSyncs =
        (await syncs.deleteOldChanges(SYNC_CHANGES_PAGE)) === SYNC_CHANGES_PAGE ||
        (await syncs.deleteEndedJobs(SYNC_JOBS_PAGE)) === SYNC_JOBS_PAGE;
      const deletedRequests = await createEgressLogStore(knex).deleteOld(EGRESS_RETENTION_MS, EGRESS_PAGE);
      const isMore = [deleted, deletedUrls, deletedMarks].includes(ENDED_DELIVERIES_PAGE);
      return { deleted, more: isMore || isMoreOfSyncs || deletedRequests === EGRESS_PAGE };
    },

    /** Deletes the next audit entries whose retention is over. Does nothing when no retention is set. */
    async deleteAuditEntriesPage(): Promise<DeletedPage> {
      const { knex, auditMs } = deps.retention;
      if (auditMs === undefined) return { deleted: 0, more: false };
      const deleted = await createAuditStore(knex).deleteOld(auditMs, AUDIT_PAGE);
      return { deleted, more: deleted === AUDIT_PAGE };
    },
  };
}
