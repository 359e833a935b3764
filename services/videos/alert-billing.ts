/** Tells operators about unusual bills of video jobs, once a day for each endpoint. */
import type { RunningJob } from '../../db/videos/running-job.ts';
import type { Submission } from '../../db/videos/submission-store.ts';
import { isFirstAlertToday } from '../../db/ledger/billing-alert-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import type { BillingFlag } from '../../domain/videos/billing-flag.ts';
import type { Logger } from '../../platform/logger.ts';

export interface AlertDeps {
  knex: Handle;
  logger: Logger;
  /** Counts a flagged bill. */
  flagged(flag: BillingFlag): void;
}

/**
 * Logs a flagged bill unless another process has logged one of the same endpoint on this day. Call it after the
 * settlement is committed. It may be repeated.
 */
export async function alertBilling(
  { knex, logger }: AlertDeps,
  job: RunningJob,
  accepted: Submission,
  flag: BillingFlag,
): Promise<void> {
  if (!(await isFirstAlertToday(knex, accepted.endpointId))) return;
  logger.error(
    flaggedBill(job, accepted, flag),
    'the provider billed a video job far from the catalog: check the endpoint (alerted once a day for each endpoint)',
  );
}

/** Returns the facts about a flagged bill for the log. */
export function flaggedBill(job: RunningJob, { endpointId, report }: Submission, flag: BillingFlag): object {
  return {
    endpointId,
    jobId: job.id,
    generationId: job.generationId,
    flag,
    report,
    estimateNanos: job.terms?.[endpointId]?.estimateNanos,
    costNanos: `${job.costNanos ?? 0n}`,
  };
}
