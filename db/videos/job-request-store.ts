/** Stores the request of a video job until its submission no longer needs it. */
import type { RequestFacts } from '../../domain/videos/video-job.ts';
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

/**
 * Stores the requests of open video jobs. They may hold megabytes of media, so only the submission reads them. The
 * previous version of Sluice stored the request in `video_jobs`; its rows have no `request_facts`.
 */
export function createJobRequestStore(handle: Handle) {
  return {
    ...requestRemovals(handle),

    /** Returns the request of a job; null if the job has ended. */
    async find(jobId: string): Promise<VideoRequest | null> {
      const [row] = await uncheckedRowsOf<{ request: VideoRequest | null }>(
        handle,
        `select coalesce((select r.request from job_requests r where r.job_id = j.id),
                         case when j.request_facts is null then j.request::json end) request
         from video_jobs j where j.id = ?`,
        [jobId],
      );
      return row?.request ?? null;
    },

    /**
     * Deletes the prompt and the media of a job, in the transaction that settles it. Returns the prompt if the
     * workspace logs input and output, or forwards prompts to a destination.
     */
    async take(jobId: string, facts: RequestFacts): Promise<TakenPrompt | null> {
      const [row] = await uncheckedRowsOf<TakenRow>(
        handle,
        `with job as (
           select w.io_logging_api_key_ids, w.io_logging_sampling_rate, s.is_logged, s.is_forwarded,
                  case when (s.is_logged or s.is_forwarded) and j.request_facts is null
                       then j.request->>'prompt' end prompt_within
           from video_jobs j join workspaces w on w.id = j.workspace_id
           cross join lateral (
             select w.is_observability_io_logging_enabled is_logged,
                    w.is_observability_broadcast_enabled and ${needsContent('w.id')} is_forwarded) s
           where j.id = ?
         ), apart as (
           delete from job_requests where job_id = ?
           returning case when (select is_logged or is_forwarded from job) then request->>'prompt' end prompt
         ), within as (
           update video_jobs set request = jsonb_build_object('shaped', request->'shaped'), request_facts = ?::jsonb
           where id = ? and request_facts is null
         )
         select coalesce((select prompt from apart), prompt_within, '') prompt, io_logging_api_key_ids,
                io_logging_sampling_rate, is_logged, is_forwarded
         from job where is_logged or is_forwarded`,
        [jobId, jobId, JSON.stringify(facts), jobId],
      );
      return row === undefined ? null : toTakenPrompt(row);
    },
  };
}

/** Builds the methods that delete requests of ended jobs. */
function requestRemovals(handle: Handle) {
  return {
    /**
     * Deletes up to `limit` requests of ended jobs from each of the two tables. Processes of the previous version leave
     * them when they end a job. Returns the larger of the two numbers.
     */
    async deleteRemaining(limit: number): Promise<number> {
      const [row] = await uncheckedRowsOf<{ n: number }>(
        handle,
        `with apart as (
           delete from job_requests where job_id = any(array(
             select r.job_id from job_requests r join video_jobs j on j.id = r.job_id
             where j.ended_at is not null limit ?))
           returning job_id
         ), within as (
           update video_jobs set request = jsonb_build_object('shaped', request->'shaped'),
                  request_facts = jsonb_build_object('shaped', request->'shaped', 'mediaCount', 0,
                                                     'inputModalities', '[]'::jsonb)
           where id = any(array(select id from video_jobs where ended_at is not null and request_facts is null limit ?))
           returning id
         )
         select greatest((select count(*) from apart), (select count(*) from within))::int n`,
        [limit, limit],
      );
      return row?.n ?? 0;
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
