import type { RequestFacts } from '../domain/video-job.ts';
import type { VideoRequest } from '../domain/video-request.ts';
import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';

/** What input/output logging needs to decide whether it keeps the prompt of a job that ended. */
export interface TakenPrompt {
  prompt: string;
  ioLoggingApiKeyIds: number[] | null;
  ioLoggingSamplingRate: number;
}

/** The requests of open video jobs. They may hold megabytes of media, so only the submission reads them. */
export function createJobRequestStore(handle: Handle) {
  return {
    /** Returns null when the job has ended. A process of the version before wrote the request into the job's row. */
    async find(jobId: string): Promise<VideoRequest | null> {
      const [row] = await rowsOf<{ request: VideoRequest | null }>(
        handle,
        `select coalesce((select r.request from job_requests r where r.job_id = j.id), j.request::json) request
         from video_jobs j where j.id = ?`,
        [jobId],
      );
      return row?.request ?? null;
    },

    /**
     * Deletes the prompt and the media of a job, also where a process of the version before wrote them into the job's
     * row; that row keeps `facts`. Part of the transaction that settles the job. Returns the prompt when the job's
     * workspace has input/output logging switched on.
     */
    async take(jobId: string, facts: RequestFacts): Promise<TakenPrompt | null> {
      const [row] = await rowsOf<TakenRow>(
        handle,
        `with settings as (
           select w.io_logging_api_key_ids, w.io_logging_sampling_rate, w.is_observability_io_logging_enabled is_logged
           from video_jobs j join workspaces w on w.id = j.workspace_id where j.id = ?
         ), apart as (
           delete from job_requests where job_id = ?
           returning case when (select is_logged from settings) then request->>'prompt' end prompt
         ), within as (
           update video_jobs set request = null, request_facts = ?::jsonb where id = ? and request is not null
         )
         select coalesce((select prompt from apart), '') prompt, io_logging_api_key_ids, io_logging_sampling_rate
         from settings where is_logged`,
        [jobId, jobId, JSON.stringify(facts), jobId],
      );
      return row === undefined ? null : toTakenPrompt(row);
    },
  };
}

interface TakenRow {
  prompt: string;
  io_logging_api_key_ids: string[] | null;
  io_logging_sampling_rate: number;
}

function toTakenPrompt(row: TakenRow): TakenPrompt {
  return {
    prompt: row.prompt,
    ioLoggingApiKeyIds: row.io_logging_api_key_ids?.map(Number) ?? null,
    ioLoggingSamplingRate: row.io_logging_sampling_rate,
  };
}
