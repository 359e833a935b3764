import type { StartableJob, SweepStore } from '../../db/sweep-store.ts';
import type { Logger } from '../../platform/logger.ts';
import type { RunStarter } from '../runs/run-starter.ts';
import type { StartPace } from './start-pace.ts';

export interface JobStarter {
  /** Takes a committed job; never fails. What it cannot start, the sweep finds. */
  enqueue(job: StartableJob): void;
  /** Resolves when everything taken so far was tried. */
  drain(): Promise<void>;
}

export interface JobStarterOptions {
  runs: Pick<RunStarter, 'startVideo'>;
  store: Pick<SweepStore, 'markDispatched'>;
  pace: StartPace;
  logger: Logger;
  /** Starts under way at once. */
  concurrency: number;
}

const MAX_QUEUED = 10_000;

/** Starts accepted jobs in the background, bounded and paced, so that starts do not starve running jobs. */
export function createJobStarter(options: JobStarterOptions): JobStarter {
  const queue: StartableJob[] = [];
  const running = new Set<Promise<void>>();
  const notes = createNotes(options);

  const startOne = async (job: StartableJob): Promise<void> => {
    try {
      await options.pace.take();
      await options.runs.startVideo(job);
      await notes.started(job.id);
    } catch (error) {
      options.logger.warn({ err: error, jobId: job.id }, 'job not started yet; the sweep will start it');
    }
  };

  const pump = (): void => {
    while (running.size < options.concurrency) {
      const job = queue.shift();
      if (job === undefined) return;
      const work = startOne(job).finally(() => {
        running.delete(work);
        pump();
      });
      running.add(work);
    }
  };

  return {
    enqueue(job) {
      // Beyond this the sweep's bounded pages are the better queue.
      if (queue.length >= MAX_QUEUED) return;
      queue.push(job);
      pump();
    },
    async drain() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/**
 * Writes down which jobs were started: all that were since the last write, in one statement. A note that is
 * lost with the process is harmless: the sweep starts the job again, and finds it started.
 */
function createNotes({ store }: Pick<JobStarterOptions, 'store'>) {
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
    /** Resolves once the note is written. */
    started(id: string): Promise<void> {
      ids.push(id);
      next ??= write();
      return next;
    },
  };
}
