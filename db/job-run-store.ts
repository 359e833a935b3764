import type { JobStatus, TerminalEnd } from '../domain/job.ts';
import type { Nanos } from '../domain/money.ts';
import type { ClientFacts } from '../domain/principal.ts';
import type { StoredRequest } from '../domain/video-job.ts';
import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';

/** What a run of the job's workflow needs of its row. */
export interface RunningJob {
  id: string;
  generationId: string;
  organizationId: string;
  workspaceId: string;
  keyId: number;
  model: string;
  provider: string;
  endpointIds: string[];
  request: StoredRequest;
  client: ClientFacts;
  previousJobId: string | null;
  callbackUrl: string | null;
  status: JobStatus;
  priceNanos: Nanos;
  upstreamCostNanos: Nanos | null;
  isByok: boolean;
  deadlineAt: Date;
  submittedAt: Date | null;
  cancelRequestedAt: Date | null;
  consecutiveNotFound: number;
  /** What the provider said to the customer when it refused or failed the job. */
  providerMessage: string | null;
  createdAt: Date;
}

interface RunningJobRow {
  id: string;
  generation_id: string;
  organization_id: string;
  workspace_id: string;
  key_id: string;
  model: string;
  provider: string;
  endpoint_ids: string[];
  request: StoredRequest;
  client: ClientFacts;
  previous_job_id: string | null;
  callback_url: string | null;
  status: JobStatus;
  price_nanos: string;
  upstream_cost_nanos: string | null;
  is_byok: boolean;
  deadline_at: Date;
  submitted_at: Date | null;
  cancel_requested_at: Date | null;
  consecutive_not_found: number;
  error_message: string | null;
  created_at: Date;
}

/** What a status check learned. `word` is the upstream's own state, shown to operators. */
export interface CheckNote {
  word: string;
  progressPercent?: number;
  outcome: 'answered' | 'not_found' | 'error';
}

/** The row seen from the workflow's activities. Every write is guarded by the state it expects. */
export function createJobRunStore(handle: Handle) {
  return {
    /**
     * Claims the row for a run. Null when the job is over, unknown, or another run has it in progress: the
     * caller then ends at once, so that a double start does nothing.
     */
    async claim(jobId: string, runId: string): Promise<RunningJob | null> {
      const [row] = await rowsOf<RunningJobRow>(
        handle,
        `update video_jobs set run_id = ?, claimed_at = coalesce(claimed_at, now()),
                dispatched_at = coalesce(dispatched_at, now()), updated_at = now()
         where id = ? and (status = 'pending'
                           or (status = 'in_progress' and (run_id is null or run_id = ?)))
         returning *`,
        [runId, jobId, runId],
      );
      return row === undefined ? null : toRunningJob(row);
    },

    async find(jobId: string): Promise<RunningJob | null> {
      const [row] = await rowsOf<RunningJobRow>(handle, `select * from video_jobs where id = ?`, [jobId]);
      return row === undefined ? null : toRunningJob(row);
    },

    /** The upstream accepted: the job runs from now, until `deadlineAt`. Serving provider is recorded. */
    async markInProgress(jobId: string, provider: string, deadlineAt: Date): Promise<void> {
      await handle.raw(
        `update video_jobs set status = 'in_progress', provider = ?, submitted_at = now(), deadline_at = ?,
                upstream_word = 'accepted', updated_at = now()
         where id = ? and status = 'pending'`,
        [provider, deadlineAt, jobId],
      );
    },

    async noteCheck(jobId: string, note: CheckNote): Promise<void> {
      await handle.raw(
        `update video_jobs set checks = checks + 1, upstream_word = ?,
                upstream_progress = coalesce(?, upstream_progress),
                consecutive_errors = case when ? = 'answered' then 0 else consecutive_errors + 1 end,
                consecutive_not_found = case when ? = 'not_found' then consecutive_not_found + 1 else 0 end,
                updated_at = now()
         where id = ? and status in ('pending', 'in_progress')`,
        [note.word, note.progressPercent ?? null, note.outcome, note.outcome, jobId],
      );
    },

    async noteUpstreamCost(jobId: string, costNanos: Nanos): Promise<void> {
      await handle.raw(`update video_jobs set upstream_cost_nanos = ? where id = ?`, [
        costNanos.toString(),
        jobId,
      ]);
    },

    /** The provider's public words about a job that is about to end; readers see them once it has. */
    async noteProviderMessage(jobId: string, message: string): Promise<void> {
      await handle.raw(
        `update video_jobs set error_message = ?, updated_at = now()
         where id = ? and status in ('pending', 'in_progress')`,
        [message, jobId],
      );
    },

    /** The one race that decides a job: true for the caller whose end it is, false when it had ended. */
    async end(
      jobId: string,
      end: TerminalEnd,
      error: string | null,
      outputsExpireAt: Date | null,
    ): Promise<boolean> {
      const code = end.status === 'completed' ? null : end.code;
      const rows = await rowsOf<{ id: string }>(
        handle,
        `update video_jobs set status = ?, ended_at = now(), updated_at = now(), failure_code = ?,
                error_message = ?, outputs_expire_at = ?,
                cost_nanos = case when ? = 'completed' then price_nanos end
         where id = ? and status in ('pending', 'in_progress') returning id`,
        [end.status, code, error, outputsExpireAt, end.status, jobId],
      );
      return rows.length > 0;
    },
  };
}

function toRunningJob(row: RunningJobRow): RunningJob {
  return {
    id: row.id,
    generationId: row.generation_id,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    keyId: Number(row.key_id),
    model: row.model,
    provider: row.provider,
    endpointIds: row.endpoint_ids,
    request: row.request,
    client: row.client,
    previousJobId: row.previous_job_id,
    callbackUrl: row.callback_url,
    status: row.status,
    priceNanos: BigInt(row.price_nanos),
    upstreamCostNanos: row.upstream_cost_nanos === null ? null : BigInt(row.upstream_cost_nanos),
    isByok: row.is_byok,
    deadlineAt: row.deadline_at,
    submittedAt: row.submitted_at,
    cancelRequestedAt: row.cancel_requested_at,
    consecutiveNotFound: row.consecutive_not_found,
    providerMessage: row.error_message,
    createdAt: row.created_at,
  };
}
