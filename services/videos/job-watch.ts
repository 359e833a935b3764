/** Lets callers wait for a change of a job's status without a query for each caller. */
import { isPostgresDown } from '../../db/postgres/outage.ts';
import { AppError } from '../../domain/errors.ts';
import { hasLeftStatus, isTerminal, type JobStatus } from '../../domain/videos/job.ts';
import type { VideoJob } from '../../domain/videos/video-job.ts';
import type { Logger } from '../../platform/logger.ts';

export interface WaitOptions {
  waitMs: number;
  /** Aborts when the caller disconnects. */
  gone: AbortSignal;
}

export interface JobWatchOptions {
  /** Reads the current statuses of many jobs in one query. */
  statuses(jobIds: string[]): Promise<Pick<VideoJob, 'id' | 'status'>[]>;
  logger: Pick<Logger, 'warn'>;
}

/** One waiting caller. */
interface Waiter {
  /** The latest status that Postgres reported since the caller arrived. */
  seen?: JobStatus;
  /** Ends the wait if `seen` shows a change or the process stops. */
  wake?: () => void;
}

const CHECK_EVERY_MS = 1_000;

interface WatchedJobs extends JobWatchOptions {
  waiters: Map<string, Set<Waiter>>;
  isListening: boolean;
  /** True when notices may have been missed since the last lookup. */
  isBehind: boolean;
  isStopped: boolean;
  timer?: NodeJS.Timeout | undefined;
  looking: Promise<void>;
}

/**
 * Lets callers wait for a change of a job's status. A waiting caller holds no connection to Postgres. While
 * notices arrive, it causes no queries; otherwise one query a second serves all callers.
 */
export function createJobWatch({ statuses, logger }: JobWatchOptions) {
  const watch: WatchedJobs = {
    statuses,
    logger,
    waiters: new Map<string, Set<Waiter>>(),
    isListening: false,
    isBehind: true,
    isStopped: false,
    looking: Promise.resolve(),
  };

  return {
    /**
     * Reads the job, and reads it again once its status has changed or the time is over. Resolves with the first result
     * when the job has ended already, or when the process stops. Rejects with `client_cancelled` when the caller
     * disconnects.
     */
    async wait(jobId: string, read: () => Promise<VideoJob>, options: WaitOptions): Promise<VideoJob> {
      // Register before the first read, so that no change after that read is missed.
      const waiter: Waiter = {};
      const leave = enter(watch.waiters, jobId, waiter);
      try {
        lookLater(watch);
        const job = await read();
        if (isTerminal(job.status)) return job;
        const end = await untilChanged(waiter, job.status, options, () => watch.isStopped);
        // When the process stops, thousands may wait. Reading all their jobs again would delay the stop.
        return end === 'stopped' ? job : await read();
      } finally {
        leave();
      }
    },
    /** Handles a notice of Postgres: the id of a job and its new status. */
    noticed(payload: string): void {
      const [jobId = '', status = ''] = payload.split(' ');
      notify(watch, jobId, status as JobStatus);
    },
    /** Records that notices arrive from now on, and that some may have been missed. */
    connected(): void {
      watch.isListening = true;
      watch.isBehind = true;
      stopLooking(watch);
      startLookup(watch);
    },
    /**
     * Records that notices stopped arriving. Until they arrive again, one query a second looks up all jobs that
     * callers wait for.
     */
    lost(): void {
      watch.isListening = false;
      watch.isBehind = true;
      lookLater(watch);
    },
    /** Ends all waits, also those that start later. */
    stop(): void {
      watch.isStopped = true;
      stopLooking(watch);
      for (const waiter of [...watch.waiters.values()].flatMap((same) => [...same])) waiter.wake?.();
    },
  };
}

export type JobWatch = ReturnType<typeof createJobWatch>;

function notify(watch: WatchedJobs, jobId: string, status: JobStatus): void {
  for (const waiter of watch.waiters.get(jobId) ?? []) {
    // A lookup may return an older status than a notice that arrived before its result.
    if (waiter.seen === undefined || hasLeftStatus(waiter.seen, status)) waiter.seen = status;
    waiter.wake?.();
  }
}

async function lookOnce(watch: WatchedJobs): Promise<void> {
  watch.isBehind = !watch.isListening;
  if (watch.isStopped || watch.waiters.size === 0) return;
  try {
    for (const { id, status } of await watch.statuses([...watch.waiters.keys()])) notify(watch, id, status);
  } catch (error) {
    watch.isBehind = true;
    // Other code logs the outage of Postgres, once for the process.
    if (!isPostgresDown(error))
      watch.logger.warn({ err: error }, 'the jobs that callers wait for were not looked up');
  }
}

/** Starts a lookup after the running one. The running one may have read before notices began to arrive. */
function startLookup(watch: WatchedJobs): void {
  watch.looking = watch.looking.then(() => lookOnce(watch)).then(() => lookLater(watch));
}

function lookLater(watch: WatchedJobs): void {
  if (!watch.isBehind || watch.isStopped || watch.waiters.size === 0) return;
  watch.timer ??= setTimeout(() => {
    watch.timer = undefined;
    startLookup(watch);
  }, CHECK_EVERY_MS);
}

function stopLooking(watch: WatchedJobs): void {
  clearTimeout(watch.timer);
  watch.timer = undefined;
}

/** Adds a waiter. Returns the function that removes it. */
function enter(waiters: Map<string, Set<Waiter>>, jobId: string, waiter: Waiter): () => void {
  const same = waiters.get(jobId) ?? new Set();
  waiters.set(jobId, same.add(waiter));
  return () => {
    same.delete(waiter);
    if (same.size === 0) waiters.delete(jobId);
  };
}

async function untilChanged(
  waiter: Waiter,
  known: JobStatus,
  { waitMs, gone }: WaitOptions,
  isStopped: () => boolean,
): Promise<'changed' | 'time_over' | 'stopped'> {
  const { promise, resolve, reject } = Promise.withResolvers<'changed' | 'time_over' | 'stopped'>();
  const leave = (): void => reject(new AppError('client_cancelled'));
  waiter.wake = () => {
    if (waiter.seen !== undefined && hasLeftStatus(known, waiter.seen)) resolve('changed');
    else if (isStopped()) resolve('stopped');
  };
  const timer = setTimeout(() => resolve('time_over'), waitMs);
  gone.addEventListener('abort', leave);
  if (gone.aborted) leave();
  waiter.wake();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    gone.removeEventListener('abort', leave);
  }
}
