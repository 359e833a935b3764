/** Starts the workflows of accepted video jobs by turns of organizations, no faster than workers claim them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { StartableJob, SweepStore } from '../../db/videos/sweep-store.ts';
import type { Logger } from '../../platform/logger.ts';
import type { RunStarter } from '../runs/run-starter.ts';
import { createFairQueue } from './fair-queue.ts';
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
/** The most jobs of one organization that wait in memory. */
const MAX_QUEUED_OF_ONE = 5_000;
const MAX_WAIT_MS = 1_000;

/**
 * Starts accepted jobs in the background, bounded and paced, so that starts do not starve running jobs. Organizations
 * take turns, so a job does not wait for the jobs of another organization (ADR 0075).
 */
export function createJobStarter(options: JobStarterOptions) {
  const { runs, store, pace, logger, concurrency = CONCURRENCY, now = Date.now } = options;
  const queue = createFairQueue<StartableJob & { takenAtMs: number }>(MAX_QUEUED_OF_ONE);
  const running = new Set<Promise<void>>();
  const notes = createNotes(store);
  let isDraining = false;
  let starting: Promise<void> | undefined;

  const startOne = async ({ takenAtMs, ...job }: StartableJob & { takenAtMs: number }): Promise<void> => {
    try {
      const isLate = now() - takenAtMs > options.sweptAfterMs;
      if (isLate && !(await store.isUndispatched(job.id))) return;
      await runs.startVideo(job);
      await notes.started(job.id);
    } catch (error) {
      logger.warn({ err: error, jobId: job.id }, 'job not started yet; the sweep will start it');
    }
  };

  const nextTurn = async (): Promise<string | undefined> => {
    try {
      return await pace.take(queue.organizations, MAX_WAIT_MS);
    } catch (error) {
      logger.warn({ err: error }, 'jobs wait for their start, because the started jobs cannot be counted');
      await delay(MAX_WAIT_MS);
      return undefined;
    }
  };

  const startNext = async (): Promise<void> => {
    const organizationId = await nextTurn();
    const job = organizationId === undefined ? undefined : queue.take(organizationId);
    if (job === undefined) return;
    const work = startOne(job).finally(() => running.delete(work));
    running.add(work);
    if (running.size >= concurrency) await Promise.race(running);
  };

  const startAll = async (): Promise<void> => {
    while (queue.organizations().length > 0) await startNext();
    starting = undefined;
  };

  return {
    /** Queues a committed job; never fails. The sweep starts jobs that this starter cannot start. */
    enqueue(job: StartableJob): void {
      if (isDraining) return;
      // The sweep reads the jobs above the limit from Postgres in pages.
      if (queue.add({ ...job, takenAtMs: now() })) starting ??= startAll();
    },
    /** Accepts no more jobs, and resolves when the running starts have ended. The sweep starts the queued jobs. */
    async drain(): Promise<void> {
      isDraining = true;
      queue.clear();
      await starting;
      await Promise.all(running);
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
