/** Holds the video jobs of the local upstream in memory, within limits. */
import { RETENTION_MS, type VideoJob } from './video-job.ts';

export interface VideoStore {
  add(job: VideoJob): void;
  get(id: string): VideoJob | undefined;
  findByKey(idempotencyKey: string): VideoJob | undefined;
  findByLink(linkToken: string): VideoJob | undefined;
  /** Returns the jobs, newest first. */
  list(): VideoJob[];
  /** Removes a job and stops its rendering. */
  remove(job: VideoJob): void;
}

/** The most bytes of rendered files in memory; the oldest jobs are removed first. */
const MAX_RENDERED_BYTES = 256 * 1024 ** 2;
const MAX_JOBS = 50_000;
/** The new jobs between two sweeps: a sweep for each new job would cost a benchmark more than the jobs. */
const JOBS_BETWEEN_SWEEPS = 64;

/** Keeps jobs in memory. They are removed an hour after their creation, and when there are too many. */
export function createVideoStore(): VideoStore {
  /** The jobs in order of creation. */
  const jobs = new Map<string, VideoJob>();
  const byKey = new Map<string, VideoJob>();
  const byLink = new Map<string, VideoJob>();
  let sinceSweep = 0;

  function remove(job: VideoJob): void {
    job.abort.abort(new Error('the job was deleted'));
    jobs.delete(job.id);
    byLink.delete(job.linkToken);
    if (job.idempotencyKey !== undefined) byKey.delete(job.idempotencyKey);
  }

  function dropOldest(): void {
    const oldest = Date.now() - RETENTION_MS;
    let bytes = 0;
    for (const job of jobs.values()) bytes += renderedBytes(job);
    for (const job of jobs.values()) {
      if (job.createdAtMs >= oldest && bytes <= MAX_RENDERED_BYTES && jobs.size <= MAX_JOBS) return;
      bytes -= renderedBytes(job);
      remove(job);
    }
  }

  return {
    add(job) {
      sinceSweep = (sinceSweep + 1) % JOBS_BETWEEN_SWEEPS;
      if (sinceSweep === 0) dropOldest();
      jobs.set(job.id, job);
      byLink.set(job.linkToken, job);
      if (job.idempotencyKey !== undefined) byKey.set(job.idempotencyKey, job);
    },
    get: (id) => jobs.get(id),
    findByKey: (idempotencyKey) => byKey.get(idempotencyKey),
    findByLink: (linkToken) => byLink.get(linkToken),
    list: () => [...jobs.values()].reverse(),
    remove,
  };
}

/** Returns the memory of a job's file. A canned file is shared and counts as zero. */
function renderedBytes({ render, request }: VideoJob): number {
  return render.state === 'finished' && !request.model.canned ? render.mp4.byteLength : 0;
}
