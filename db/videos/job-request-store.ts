/** Stores the request of a video job until its submission no longer needs it. */
import type { VideoRequest } from '../../domain/videos/video-request.ts';
import { needsContent } from '../needs-content.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

/** The prompt of an ended job, with the workspace's settings that decide whether it is stored. */
export interface TakenPrompt {
  prompt: string;
  isObservabilityIoLoggingEnabled: boolean;
  ioLoggingApiKeyIds: number[] | null;
  ioLoggingSamplingRate: number;
  /** True: a destination of the workspace sends prompts or filters by them. */
  needsBroadcastContent: boolean;
}

/** Stores the requests of open video jobs. They may hold megabytes of media, so only the submission reads them. */
export function createJobRequestStore(handle: Handle) {
  return {
    /** Returns the request of a job; null if the job has ended. */
    async find(jobId: string): Promise<VideoRequest | null> {
      const [row] = await uncheckedRowsOf<{ request: VideoRequest }>(
        handle,
        `select request from job_requests where job_id = ?`,
        [jobId],
      );
      return row?.request ?? null;
    },

    /**
     * Deletes the prompt and the media of a job, in the transaction that settles it. Returns the prompt if the
     * workspace logs input and output, or forwards prompts to a destination.
     */
    async take(jobId: string): Promise<TakenPrompt | null> {
      const [row] = await uncheckedRowsOf<TakenRow>(
        handle,
        `with job as (
           select w.io_logging_api_key_ids, w.io_logging_sampling_rate, s.is_logged, s.is_forwarded
           from video_jobs j join workspaces w on w.id = j.workspace_id
           cross join lateral (
             select w.is_observability_io_logging_enabled is_logged,
                    w.is_observability_broadcast_enabled and ${needsContent('w.id')} is_forwarded) s
           where j.id = ?
         ), taken as (
           delete from job_requests where job_id = ?
           returning case when (select is_logged or is_forwarded from job) then request->>'prompt' end prompt
         )
         select coalesce((select prompt from taken), '') prompt, io_logging_api_key_ids,
                io_logging_sampling_rate, is_logged, is_forwarded
         from job where is_logged or is_forwarded`,
        [jobId, jobId],
      );
      return row === undefined ? null : toTakenPrompt(row);
    },
  };
}

interface TakenRow {
  prompt: string;
  io_logging_api_key_ids: string[] | null;
  io_logging_sampling_rate: number;
  is_logged: boolean;
  is_forwarded: boolean;
}

function toTakenPrompt(row: TakenRow): TakenPrompt {
  return {
    prompt: row.prompt,
    isObservabilityIoLoggingEnabled: row.is_logged,
    ioLoggingApiKeyIds: row.io_logging_api_key_ids?.map(Number) ?? null,
    ioLoggingSamplingRate: row.io_logging_sampling_rate,
    needsBroadcastContent: row.is_forwarded,
  };
}
