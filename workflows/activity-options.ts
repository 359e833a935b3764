/** Sets the timeouts and retries of the activities that workflows call. */
import type { ActivityOptions } from '@temporalio/workflow';

/**
 * Makes Temporal give an activity to another worker when its worker is silent for this long. Every activity sends
 * heartbeats while it runs (activities/wrap-activities.ts). The start-to-close timeouts are for work that hangs in a
 * live worker.
 */
const DETECT_DEAD_WORKER = { heartbeatTimeout: '10 seconds' } as const;

/**
 * The options of a submission. Retries are unlimited by default: an activity that gives up returns the reason as its
 * result. An outage of Postgres or of a worker therefore never ends a customer's job.
 */
export const SUBMIT_OPTIONS: ActivityOptions = {
  ...DETECT_DEAD_WORKER,
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  // By default, a cancel would drop the answer of a call in flight, and the vendor would be paid for nothing.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
};

/**
 * Returns the options of a status check. A pending check fails and is retried, so polling adds no events to the
 * history. The failure's own delay overrides the interval.
 */
export function checkOptions(leftMs: number, attemptMs: number): ActivityOptions {
  return {
    ...DETECT_DEAD_WORKER,
    startToCloseTimeout: attemptMs,
    scheduleToCloseTimeout: leftMs,
    retry: { initialInterval: '2 seconds', backoffCoefficient: 1 },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  };
}

/** Returns the options for storing outputs. Storing has its own timeout, apart from the job's deadline. */
export function storeOptions(totalMs: number): ActivityOptions {
  return {
    ...DETECT_DEAD_WORKER,
    startToCloseTimeout: totalMs,
    scheduleToCloseTimeout: totalMs,
    retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
  };
}

/** The options for cancelling at the provider. It is best effort: the job ends even if the provider does not stop. */
export const CANCEL_UPSTREAM_OPTIONS: ActivityOptions = {
  ...DETECT_DEAD_WORKER,
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 5 },
};

export const DATABASE_OPTIONS: ActivityOptions = {
  ...DETECT_DEAD_WORKER,
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/**
 * The options of a webhook attempt. The timeout is above the largest WEBHOOK_TIMEOUT. Otherwise an attempt could not
 * record its own timeout, and Temporal would retry it without end.
 */
export const WEBHOOK_OPTIONS: ActivityOptions = {
  ...DETECT_DEAD_WORKER,
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/**
 * The options of a pump. A pump ends by itself after five minutes, once it has delivered the batch under way. It may
 * have to divide a batch many times.
 */
export const PUMP_OPTIONS: ActivityOptions = {
  ...DETECT_DEAD_WORKER,
  startToCloseTimeout: '1 hour',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/**
 * The options for checking a private endpoint. Each check is attempted once: the upstream may bill for it, and may have
 * received a call whose answer was lost. Three calls of 20 seconds fit into the timeout. The wait for a worker is
 * bounded too.
 */
export const CHECKS_OPTIONS: ActivityOptions = {
  ...DETECT_DEAD_WORKER,
  startToCloseTimeout: '80 seconds',
  scheduleToCloseTimeout: '90 seconds',
  retry: { maximumAttempts: 1 },
};

/** The options of scheduled work. It is attempted once, because the schedule soon starts the next run. */
export const MAINTENANCE_OPTIONS: ActivityOptions = {
  ...DETECT_DEAD_WORKER,
  startToCloseTimeout: '2 minutes',
  retry: { maximumAttempts: 1 },
};

/**
 * Returns the options of the sweep. Nothing sweeps between two attempts, so a failed attempt is retried after one
 * second, without a limit.
 */
export function sweepingOptions(forMs: number): ActivityOptions {
  return {
    ...DETECT_DEAD_WORKER,
    // Leaves time for the last sweep, which may begin when `forMs` is over.
    startToCloseTimeout: forMs + 5 * 60_000,
    retry: { initialInterval: '1 second', backoffCoefficient: 1 },
    // A cancelled run waits until the activity has stopped sweeping.
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  };
}

/**
 * The options for partitions. A partition's sums are read before it is dropped, which takes minutes for millions of
 * rows.
 */
export const PARTITION_OPTIONS: ActivityOptions = {
  ...MAINTENANCE_OPTIONS,
  startToCloseTimeout: '30 minutes',
};

/**
 * The options for the steps of a directory sync. A step lasts for its slice plus the page or chunk under way, which
 * may wait for the source. Planning the changes of a large directory takes minutes.
 */
export const SYNC_OPTIONS: ActivityOptions = {
  ...DETECT_DEAD_WORKER,
  startToCloseTimeout: '90 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};
