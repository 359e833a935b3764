/** Loads the fields of a video job that its workflow needs, with its submissions. */
import type { JobFailureCode, JobStatus } from '../../domain/videos/job.ts';
import type { Nanos } from '../../domain/money.ts';
import type { ClientFacts } from '../../domain/principal.ts';
import type { RequestFacts } from '../../domain/videos/video-job.ts';
import { type Submission, type SubmissionRow, toSubmission } from './submission-store.ts';

/** The fields of a job that its workflow's run needs. */
export interface RunningJob {
  id: string;
  generationId: string;
  organizationId: string;
  workspaceId: string;
  keyId: number;
  /** The creator of the key, if it is a person. */
  userId: string | null;
  model: string;
  provider: string;
  endpointIds: string[];
  requestFacts: RequestFacts;
  client: ClientFacts;
  previousJobId: string | null;
  callbackUrl: string | null;
  /** True: the callback URL is the workspace's default. */
  usesDefaultCallback: boolean;
  status: JobStatus;
  failureCode: JobFailureCode | null;
  priceNanos: Nanos;
  /** The billed amount; null while the job is open, and if it costs nothing. */
  costNanos: Nanos | null;
  upstreamCostNanos: Nanos | null;
  isByok: boolean;
  /** The customer's own credential; null for the operator's. */
  credentialId: string | null;
  deadlineAt: Date;
  submittedAt: Date | null;
  cancelRequestedAt: Date | null;
  consecutiveNotFound: number;
  /** The public message: of a provider while the job is open, and why it ended without a video afterwards. */
  error: string | null;
  createdAt: Date;
  /** The submissions to providers, in order. */
  submissions: Submission[];
}

export interface RunningJobRow {
  id: string;
  generation_id: string;
  organization_id: string;
  workspace_id: string;
  key_id: string;
  user_id: string | null;
  model: string;
  provider: string;
  endpoint_ids: string[];
  request_facts: RequestFacts;
  client: ClientFacts;
  previous_job_id: string | null;
  callback_url: string | null;
  uses_default_callback: boolean;
  status: JobStatus;
  failure_code: JobFailureCode | null;
  price_nanos: string;
  cost_nanos: string | null;
  upstream_cost_nanos: string | null;
  is_byok: boolean;
  credential_id: string | null;
  deadline_at: Date;
  submitted_at: Date | null;
  cancel_requested_at: Date | null;
  consecutive_not_found: number;
  error: string | null;
  created_at: Date;
  submissions: SubmissionRow[];
}

/**
 * Selects the row of `video_jobs j` with the creator of its key and its submissions. The request is left out, because
 * it may hold megabytes and only the submission reads it (job-request-store.ts).
 */
export const RUNNING_JOB_COLUMNS = `j.id, j.generation_id, j.organization_id, j.workspace_id, j.key_id, j.model,
  j.provider, j.endpoint_ids, j.request_facts, j.client, j.previous_job_id, j.callback_url, j.uses_default_callback,
  j.status, j.failure_code, j.price_nanos, j.cost_nanos, j.upstream_cost_nanos, j.is_byok, j.credential_id, j.deadline_at, j.submitted_at,
  j.cancel_requested_at, j.consecutive_not_found, j.error, j.created_at,
  (select k.creator_user_id from api_keys k where k.id = j.key_id) user_id,
  (select coalesce(json_agg(s order by s.n), '[]') from job_submissions s where s.job_id = j.id) submissions`;

/** Returns the submission that is pending or was accepted, if any; there is at most one. */
export function liveSubmission({ submissions }: RunningJob): Submission | null {
  return submissions.find(({ state }) => state === 'sending' || state === 'accepted') ?? null;
}

export function toRunningJob(row: RunningJobRow): RunningJob {
  return {
    id: row.id,
    generationId: row.generation_id,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    keyId: Number(row.key_id),
    userId: row.user_id,
    model: row.model,
    provider: row.provider,
    endpointIds: row.endpoint_ids,
    requestFacts: row.request_facts,
    client: row.client,
    previousJobId: row.previous_job_id,
    callbackUrl: row.callback_url,
    usesDefaultCallback: row.uses_default_callback,
    status: row.status,
    failureCode: row.failure_code,
    priceNanos: BigInt(row.price_nanos),
    costNanos: row.cost_nanos === null ? null : BigInt(row.cost_nanos),
    upstreamCostNanos: row.upstream_cost_nanos === null ? null : BigInt(row.upstream_cost_nanos),
    isByok: row.is_byok,
    credentialId: row.credential_id,
    deadlineAt: row.deadline_at,
    submittedAt: row.submitted_at,
    cancelRequestedAt: row.cancel_requested_at,
    consecutiveNotFound: row.consecutive_not_found,
    error: row.error,
    createdAt: row.created_at,
    submissions: row.submissions.map(toSubmission),
  };
}
