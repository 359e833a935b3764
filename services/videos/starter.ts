/** Starts the workflows of accepted video jobs, no faster than workers claim them. */
import type { StartableJob, SweepStore } from '../../db/videos/sweep-store.ts';
import type { Logger } from '../../platform/logger.ts';
import type { RunStarter } from '../runs/run-starter.ts';
import type { StartPace } from './start-pace.ts';

export interface JobStarterOptions {
  runs: Pick<RunStarter, 'startVideo'>;
  store: Pick<SweepStore, 'markDispatched' | 'isUndispatched'>;
  pace: StartPace;
  logger: Logger;
  /** The number of starts that run at the same time; only tests set it. */
  concurrency?: number;
  /** The wait after which the sweep may have started a queued job. */
  sweptAfterMs: number;
  now?: () => number;
}

const CONCURRENCY = 16;
const MAX_QUEUED = 10_000;
const MAX_WAIT_MS = 1_000;

/** Starts accepted jobs in the background, bounded and paced, so that starts do not starve running jobs. */
export function createJobStarter(options: JobStarterOptions) {
  const { runs, store, pace, logger, concurrency = CONCURRENCY, now = Date.now } = options;
  let queue: { job: StartableJob; takenAtMs: number }[] = [];
  const running = new Set<Promise<void>>();
  const notes = createNotes(store);
  let isDraining = false;

  const mayStart = async (): Promise<boolean> => {
    while (!isDraining) if (await pace.take(MAX_WAIT_MS)) return true;
    return false;
  };

  const startOne = async (job: StartableJob, takenAtMs: number): Promise<void> => {
    try {
      if (!(await mayStart())) return;
      const isLate = now() - takenAtMs > options.sweptAfterMs;
      if (isLate && !(await store.isUndispatched(job.id))) return;
      await runs.startVideo(job);
      await notes.started(job.id);
    } catch (error) {
      logger.warn({ err: error, jobId: job.id }, 'job not started yet; the sweep will start it');
    }
  };

  const pump = (): void => {
    while (running.size < concurrency) {
      const next = queue.shift();
      if (next === undefined) return;
      const work = startOne(next.job, next.takenAtMs).finally(() => {
        running.delete(work);
        pump();
      });
      running.add(work);
    }
  };

  return {
    /** Queues a committed job; never fails. The sweep starts jobs that this starter cannot start. */
    enqueue(job: StartableJob): void {
      // Leave jobs above this limit to the sweep, which reads them from Postgres in pages.
      if (isDraining || queue.length >= MAX_QUEUED) return;
      queue.push({ job, takenAtMs: now() });
      pump();
    },
    /** Accepts no more jobs, and resolves when the running starts have ended. The sweep starts the queued jobs. */
    async drain(): Promise<void> {
      isDraining = true;
      queue = [];
      while (running.size > 0) await Promise.all(running);
    },
  };
}

export type JobStarter = ReturnType<typeof createJobStarter>;

/**
 * Records which jobs were started. One statement records all starts since the last write. Losing a record with the
 * process is harmless, because the sweep starts the job again and finds its run.
 */
function createNotes(store: JobStarterOptions['store']) {
  let ids: string[] = [];
  let writing: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    await writing.catch(() => undefined);
    next = undefined;
    const written = ids;
    ids = [];
    writing = store.markDispatched(written);
    await writing;
  };

  return {
    /** Resolves once the record is written. */
    started(id: string): Promise<void> {
      ids.push(id);
      next ??= write();
      return next;
    },
  };
}
