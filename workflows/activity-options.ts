import type { ActivityOptions } from '@temporalio/workflow';

/**
 * How long a worker may be silent before its attempt is made elsewhere; every activity heartbeats while it
 * runs (activities/with-heartbeats.ts). The start-to-close timeouts are for work that hangs in a live worker.
 */
const NOTICE_DEATH = { heartbeatTimeout: '10 seconds' } as const;

/**
 * Options by kind of work. Retries are unlimited by default: an activity that gives up decides so itself, and
 * says why in its result, so that an outage of Postgres or of a worker never ends a customer's job.
 */
export const SUBMIT_OPTIONS: ActivityOptions = {
  ...NOTICE_DEATH,
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  // Explicit: by default the answer of a call in flight would be dropped, and the vendor paid for nothing.
  cancellationType: 'WAIT_CANCELLATION_COMPLETED',
};

/** A pending check is a retry, so polling costs no history; the attempt's own delay overrides the interval. */
export function checkOptions(leftMs: number, attemptMs: number): ActivityOptions {
  return {
    ...NOTICE_DEATH,
    startToCloseTimeout: attemptMs,
    scheduleToCloseTimeout: leftMs,
    retry: { initialInterval: '2 seconds', backoffCoefficient: 1 },
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  };
}

/** Storing has a time of its own, which the job's deadline does not cut. */
export function storeOptions(totalMs: number): ActivityOptions {
  return {
    ...NOTICE_DEATH,
    startToCloseTimeout: totalMs,
    scheduleToCloseTimeout: totalMs,
    retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
  };
}

/** Best effort: the job ends whether or not the vendor stops. */
export const CANCEL_UPSTREAM_OPTIONS: ActivityOptions = {
  ...NOTICE_DEATH,
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 5 },
};

export const DATABASE_OPTIONS: ActivityOptions = {
  ...NOTICE_DEATH,
  startToCloseTimeout: '30 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/** Longer than WEBHOOK_TIMEOUT can be set: an attempt must record its own timeout, or it would be made for ever. */
export const WEBHOOK_OPTIONS: ActivityOptions = {
  ...NOTICE_DEATH,
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/** A pump ends by itself after five minutes and the batch under way, which may have to be divided many times. */
export const PUMP_OPTIONS: ActivityOptions = {
  ...NOTICE_DEATH,
  startToCloseTimeout: '1 hour',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};

/**
 * Checks of a private endpoint call an upstream that may bill for it, and nobody could say whether a call had arrived: so
 * they are attempted once. Three calls of 20 seconds fit in. The time for a worker to come is bounded too.
 */
export const CHECKS_OPTIONS: ActivityOptions = {
  ...NOTICE_DEATH,
  startToCloseTimeout: '80 seconds',
  scheduleToCloseTimeout: '90 seconds',
  retry: { maximumAttempts: 1 },
};

/** A schedule fires again soon enough. */
export const MAINTENANCE_OPTIONS: ActivityOptions = {
  ...NOTICE_DEATH,
  startToCloseTimeout: '2 minutes',
  retry: { maximumAttempts: 1 },
};

/** Nobody sweeps while the activity waits for its next attempt, so that comes at once and without end. */
export function sweepingOptions(forMs: number): ActivityOptions {
  return {
    ...NOTICE_DEATH,
    // The last sweep may begin when the time is over.
    startToCloseTimeout: forMs + 5 * 60_000,
    retry: { initialInterval: '1 second', backoffCoefficient: 1 },
    // A cancelled run ends when the sweeping has ended.
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
  };
}

/** The sums of a day of millions are read before it is dropped. */
export const PARTITION_OPTIONS: ActivityOptions = {
  ...MAINTENANCE_OPTIONS,
  startToCloseTimeout: '30 minutes',
};

/**
 * Steps of a directory sync go on for as long as their slice, and the page or chunk at hand, which may wait for the source.
 * The plan of a large directory takes minutes.
 */
export const SYNC_OPTIONS: ActivityOptions = {
  ...NOTICE_DEATH,
  startToCloseTimeout: '90 minutes',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
};
