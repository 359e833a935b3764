import type { Handle } from '../../db/postgres/connection.ts';
import { createJobTimelineReadModel } from '../../db/videos/job-timeline-read-model.ts';
import { createVideoJobStore, type JobPage } from '../../db/videos/video-job-store.ts';
import type { VideoModel } from '../../domain/catalog/catalog.ts';
import { AppError } from '../../domain/errors.ts';
import { VIDEO_JOB_ID_PATTERN } from '../../domain/ids.ts';
import type { JobEvent } from '../../domain/videos/job-event.ts';
import { cancelVerdict } from '../../domain/videos/job.ts';
import { type Caller, readScope, type Principal } from '../../domain/principal.ts';
import type { VideoJob } from '../../domain/videos/video-job.ts';
import type { VideoRequest } from '../../domain/videos/video-request.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ObjectStore } from '../../platform/object-store.ts';
import type { SunsetNotices } from '../catalog/sunset-notices.ts';
import type { RunStarter } from '../runs/run-starter.ts';
import type { OnceAnswer } from '../answer-once.ts';
import { requireFound, requireId } from '../require-found.ts';
import { acceptJob, type AcceptDeps, type AcceptOptions } from './accept-job.ts';
import type { JobWatch, WaitOptions } from './job-watch.ts';
import { openOutput, type OpenedContent, type RangeRequest } from './open-output.ts';

export interface VideoServiceDeps extends AcceptDeps {
  objectStore: ObjectStore;
  runs: Pick<RunStarter, 'signalCancel'>;
  jobWatch: Pick<JobWatch, 'wait'>;
  sunsets: SunsetNotices;
  logger: Logger;
}

/** Creates the service that accepts, shows and cancels video jobs. */
export function createVideoService(deps: VideoServiceDeps) {
  const jobs = createVideoJobStore(deps.knex);
  const timelines = createJobTimelineReadModel(deps.knex);

  const get = async (principal: Principal, jobId: string): Promise<VideoJob> => {
    requireId(jobId, VIDEO_JOB_ID_PATTERN);
    return requireFound(await jobs.find(readScope(principal), jobId));
  };

  return {
    /** Accepts a job, and returns after the commit. Throws 400, 402, 404, 409 and 422. */
    create: (caller: Caller, request: VideoRequest, options: AcceptOptions): Promise<OnceAnswer> =>
      acceptJob(deps, caller, request, options),
    /** Returns a job. Throws the same 404 for unknown, malformed and foreign ids. */
    get,
    /** Returns a job like `get`, but only once its status has changed, the time is over, or the process stops. */
    waitForChange: (principal: Principal, jobId: string, options: WaitOptions): Promise<VideoJob> =>
      deps.jobWatch.wait(jobId, () => get(principal, jobId), options),
    /** Returns the events of a job, the oldest first. Throws the same 404 as `get`. */
    async timeline(principal: Principal, jobId: string): Promise<JobEvent[]> {
      requireId(jobId, VIDEO_JOB_ID_PATTERN);
      const events = await timelines.find(readScope(principal), jobId);
      if (events.length === 0) throw new AppError('not_found');
      return events;
    },
    /** Lists jobs. `page.model` may be any name of the model. */
    list(
      principal: Principal,
      { model, ...page }: JobPage,
    ): Promise<{ jobs: VideoJob[]; totalCount: number }> {
      const named = model && { model: deps.catalog.findVideoModel(model)?.id ?? model };
      return jobs.list(readScope(principal), { ...page, ...named });
    },
    /**
     * Requests the end of an open job. Succeeds again for a cancelled job, and throws 409 for a job that ended
     * otherwise.
     */
    async cancel(principal: Principal, jobId: string): Promise<VideoJob> {
      let job = await get(principal, jobId);
      if (cancelVerdict(job.status) === 'cancel') {
        await jobs.requestCancel(jobId);
        // The row contains the request already, so without the signal the next status check cancels the job.
        await deps.runs.signalCancel(jobId).catch((error: unknown) => {
          deps.logger.warn({ err: error, jobId }, 'cancel not signalled; the next status check will see it');
        });
        job = await get(principal, jobId);
      }
      // The job may also have ended after the request.
      if (cancelVerdict(job.status) === 'too_late') {
        throw new AppError('conflict', {
          publicMessage: `The job has already ended: it is ${job.status}`,
          reason: 'job_already_ended',
          retryable: false,
        });
      }
      return job;
    },
    /** Opens a file of a job. A `signed` caller has a verified link instead of a key. */
    async openContent(
      caller: Principal | { signed: true },
      jobId: string,
      index: number,
      range?: RangeRequest,
    ): Promise<OpenedContent> {
      const job = 'signed' in caller ? await findSigned(deps.knex, jobId) : await get(caller, jobId);
      return openOutput(deps.objectStore, job, index, range);
    },
    sunsetHeader: (name: string): string | undefined => sunsetHeader(deps, name),
    models: (): VideoModel[] => deps.catalog.videoModels(),
  };
}

export type VideoService = ReturnType<typeof createVideoService>;

/** Returns the header `Sunset` for the model of an accepted request. Its name may have a sorting suffix. */
function sunsetHeader({ catalog, sunsets }: VideoServiceDeps, name: string): string | undefined {
  const model = catalog.findKnownVideoModel(name) ?? catalog.findKnownVideoModel(name.replace(/:[^:]*$/, ''));
  return model && sunsets.headerFor(model);
}

async function findSigned(knex: Handle, jobId: string): Promise<VideoJob> {
  return requireFound(await createVideoJobStore(knex).findUnscoped(requireId(jobId, VIDEO_JOB_ID_PATTERN)));
}
