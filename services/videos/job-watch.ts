import { isAway } from '../../db/outage.ts';
import { AppError } from '../../domain/errors.ts';
import { hasLeftStatus, isTerminal, type JobStatus } from '../../domain/videos/job.ts';
import type { VideoJob } from '../../domain/videos/video-job.ts';
import type { Logger } from '../../platform/logger.ts';

/**
 * Lets callers wait for a change of a job's status. A waiting caller holds no connection to Postgres and causes no
 * queries.
 */
export interface JobWatch {
  /**
   * Reads the job, and reads it again once its status has changed or the time is over. Resolves with the first
   * reading when the job has ended already, or when the process stops. Rejects with `client_cancelled` when the
   * caller disconnects.
   */
  wait(jobId: string, read: () => Promise<VideoJob>, options: WaitOptions): Promise<VideoJob>;
  /** Handles a notification of Postgres: the id of a job and its new status. */
  noticed(payload: string): void;
  /** Records that notifications arrive from now on, and that some may have been missed. */
  connected(): void;
  /**
   * Records that notifications do not arrive. Until they do, one query a second looks up all jobs that callers wait
   * for.
   */
  lost(): void;
  /** Ends all waits, also those that start later. */
  stop(): void;
}

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
  /** Checks `seen`, and whether the process stops. */
  wake?: () => void;
}

const LOOK_EVERY_MS = 1_000;

export function createJobWatch({ statuses, logger }: JobWatchOptions): JobWatch {
  const waiters = new Map<string, Set<Waiter>>();
  let isListening = false;
  /** True when notifications may have been missed and no lookup has made up for them yet. */
  let isBehind = true;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();

  const tell = (jobId: string, status: JobStatus): void => {
    for (const waiter of waiters.get(jobId) ?? []) {
      // A lookup may bring an older status than a notice that overtook it.
      if (waiter.seen === undefined || hasLeftStatus(waiter.seen, status)) waiter.seen = status;
      waiter.wake?.();
    }
  };
  const lookOnce = async (): Promise<void> => {
    isBehind = !isListening;
    if (isStopped || waiters.size === 0) return;
    try {
      for (const { id, status } of await statuses([...waiters.keys()])) tell(id, status);
    } catch (error) {
      isBehind = true;
      // The process logs once that Postgres is away.
      if (!isAway(error)) logger.warn({ err: error }, 'the jobs that callers wait for were not looked up');
    }
  };
  /**
   * Runs one lookup after another. A lookup under way may have read before notifications started, so another follows
   * it.
   */
  const look = (): void => void (looking = looking.then(lookOnce).then(lookLater));
  const lookLater = (): void => {
    if (!isBehind || isStopped || waiters.size === 0) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      look();
    }, LOOK_EVERY_MS);
  };
  const stopLooking = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };

  return {
    async wait(jobId, read, options) {
      // Before the first reading: what changes after that reading is told to this waiter.
      const waiter: Waiter = {};
      const leave = enter(waiters, jobId, waiter);
      try {
        lookLater();
        const job = await read();
        if (isTerminal(job.status)) return job;
        const end = await untilChanged(waiter, job.status, options, () => isStopped);
        // Thousands may wait when the process stops; that many readings at once would hold it up.
        return end === 'stopped' ? job : await read();
      } finally {
        leave();
      }
    },
    noticed(payload) {
      const [jobId = '', status = ''] = payload.split(' ');
      tell(jobId, status as JobStatus);
    },
    connected() {
      isListening = true;
      isBehind = true;
      stopLooking();
      look();
    },
    lost() {
      isListening = false;
      isBehind = true;
      lookLater();
    },
    stop() {
      isStopped = true;
      stopLooking();
      for (const waiter of [...waiters.values()].flatMap((same) => [...same])) waiter.wake?.();
    },
  };
}

/** Adds the waiter. Returns the function that removes it. */
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
