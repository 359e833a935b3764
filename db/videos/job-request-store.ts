/** Stores the request of a video job until its submission no longer needs it. */
import type { VideoRequest } from '../../domain/videos/video-request.ts';
import { needsContent } from '../needs-content.ts';
import type { Handle } from '../postgres/connection.ts';
import { bool, float8, int8s, json, type RowOf, text } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

const TAKEN = {
  prompt: text,
  isObservabilityIoLoggingEnabled: bool,
  ioLoggingApiKeyIds: int8s.orNull,
  ioLoggingSamplingRate: float8,
  /** True: a destination of the workspace sends prompts or filters by them. */
  needsBroadcastContent: bool,
};

/** The prompt of an ended job, with the workspace's settings that decide whether it is stored. */
export type TakenPrompt = Omit<RowOf<typeof TAKEN>, 'ioLoggingApiKeyIds'> & {
  ioLoggingApiKeyIds: number[] | null;
};

/** Stores the requests of open video jobs. They may hold megabytes of media, so only the submission reads them. */
export function createJobRequestStore(handle: Handle) {
  return {
    /** Returns the request of a job; null if the job has ended. */
    async find(jobId: string): Promise<VideoRequest | null> {
      const statement = `select request from job_requests where job_id = :jobId`;
      const [row] = await rowsOf(handle, { request: json<VideoRequest>() }, statement, { jobId });
      return row?.request ?? null;
    },

    /**
     * Deletes the prompt and the media of a job, in the transaction that settles it. Returns the prompt if the
     * workspace logs input and output, or forwards prompts to a destination.
     */
    async take(jobId: string): Promise<TakenPrompt | null> {
      const [row] = await rowsOf(
        handle,
        TAKEN,
        `with job as (
           select w.io_logging_api_key_ids, w.io_logging_sampling_rate, s.is_logged, s.is_forwarded
           from video_jobs j join workspaces w on w.id = j.workspace_id
           cross join lateral (
             select w.is_observability_io_logging_enabled is_logged,
                    w.is_observability_broadcast_enabled and ${needsContent('w.id')} is_forwarded) s
           where j.id = :jobId
         ), taken as (
           delete from job_requests where job_id = :jobId
           returning case when (select is_logged or is_forwarded from job) then request->>'prompt' end prompt
         )
         select coalesce((select prompt from taken), '') prompt, is_logged "isObservabilityIoLoggingEnabled",
                io_logging_api_key_ids "ioLoggingApiKeyIds", io_logging_sampling_rate "ioLoggingSamplingRate",
                is_forwarded "needsBroadcastContent"
         from job where is_logged or is_forwarded`,
        { jobId },
      );
      return row === undefined
        ? null
        : { ...row, ioLoggingApiKeyIds: row.ioLoggingApiKeyIds?.map(Number) ?? null };
    },
  };
}
