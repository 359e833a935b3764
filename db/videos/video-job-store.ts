/** Inserts, finds and lists video jobs for the API, and records requests to cancel them. */
import type { JobStatus } from '../../domain/videos/job.ts';
import type { ReadScope } from '../../domain/principal.ts';
import type { JobOutput, JobWait, JobWebhook, NewVideoJob, VideoJob } from '../../domain/videos/video-job.ts';
import type { WaitReason } from '../../domain/videos/wait-reason.ts';
import type { Knex } from 'knex';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import { inScope, scopeBindings } from './job-scope.ts';

/** The open jobs of an organization: their number, and the size of their requests. */
export interface OpenJobs {
  jobs: number;
  bytes: number;
}

export interface JobPage {
  limit: number;
  offset: number;
  status?: JobStatus | undefined;
  model?: string | undefined;
  /** Inclusive start. */
  createdAfter?: Date | undefined;
  /** Exclusive end. */
  createdBefore?: Date | undefined;
}

interface VideoJobRow {
  id: string;
  generation_id: string;
  organization_id: string;
  workspace_id: string;
  key_id: string;
  model: string;
  provider: string;
  status: JobStatus;
  error: string | null;
  cost_nanos: string | null;
  is_byok: boolean;
  outputs: JobOutput[] | null;
  outputs_expire_at: Date | null;
  cancel_requested_at: Date | null;
  created_at: Date;
  submitted_at: Date | null;
  deadline_at: Date;
  progress_percent: number | null;
  claimed_at: Date | null;
  waiting_reason: WaitReason | null;
  waiting_since: Date;
  next_try_at: Date;
  webhook: JobWebhook | null;
  ended_at: Date | null;
}

/**
 * SQL: the delivery state of the job's event. Null for a job without a callback URL, and for an ended job if the
 * default URL does not receive its event type.
 */
const WEBHOOK = `case when j.callback_url is not null then coalesce(
    (select json_build_object('state', d.status,
              'attempts', (select count(*) from webhook_attempts a where a.delivery_id = d.id),
              'lastStatus', l.status_code, 'lastOutcome', l.outcome, 'lastReason', l.reason)
     from webhook_deliveries d left join lateral (
       select a.status_code, a.outcome, a.reason from webhook_attempts a
       where a.delivery_id = d.id and a.finished_at is not null order by a.started_at desc limit 1) l on true
     where d.job_id = j.id limit 1),
    case when j.ended_at is null then json_build_object(
      'state', 'pending', 'attempts', 0, 'lastStatus', null, 'lastOutcome', null, 'lastReason', null) end) end`;

const COLUMNS = `j.id, j.generation_id, j.organization_id, j.workspace_id, j.key_id, j.model, j.provider, j.status,
  j.error, j.cost_nanos, j.is_byok, j.outputs_expire_at, j.cancel_requested_at, j.created_at, j.submitted_at,
  j.deadline_at, j.progress_percent, j.claimed_at, j.waiting_reason, j.waiting_since, j.next_try_at, j.ended_at, ${WEBHOOK} webhook,
  (select json_agg(json_build_object('index', o.index, 'objectKey', o.object_key,
                                     'contentType', o.content_type, 'bytes', o.bytes) order by o.index)
     from job_outputs o where o.job_id = j.id and o.removed_at is null) outputs`;

const INSERTED = `id, generation_id, organization_id, workspace_id, key_id, model, provider, endpoint_ids,
  request_facts, client, previous_job_id, uses_default_callback, callback_url, price_nanos, is_byok, credential_id,
  deadline_at, created_at, request_bytes`;

/** SQL types of an inserted job. A job without a callback URL gets its workspace's default. */
const INSERTED_TYPES = `?::text, ?::text, ?::uuid, ?::uuid, ?::bigint, ?::text, ?::text, ?::text[], ?::jsonb,
  ?::jsonb, ?::text, ?::boolean, coalesce(?::text, (select default_callback_url from workspaces where id = ?::uuid)),
  ?::numeric, ?::boolean, ?::uuid, ?::timestamptz, ?::timestamptz, ?::integer`;

/** SQL that inserts the request in the same statement as the job. */
const INSERT_REQUEST = `insert into job_requests (job_id, request) select id, ?::json from job returning job_id id`;

/** SQL: the number of an organization's open jobs, and the size of their requests. */
const OPEN_JOBS = `select count(*)::integer jobs, coalesce(sum(request_bytes), 0)::float8 bytes from video_jobs`;
const IS_OPEN = `status in ('pending', 'in_progress')`;

function insertedValues(job: NewVideoJob, request: string): Knex.RawBinding[] {
  return [
    job.id,
    job.generationId,
    job.organizationId,
    job.workspaceId,
    job.keyId,
    job.model,
    job.provider,
    job.endpointIds,
    JSON.stringify(job.requestFacts),
    JSON.stringify(job.client),
    job.previousJobId ?? null,
    job.callbackUrl === undefined,
    job.callbackUrl ?? null,
    job.workspaceId,
    job.priceNanos.toString(),
    job.isByok,
    job.credentialId ?? null,
    job.deadlineAt,
    job.createdAt,
    Buffer.byteLength(request),
  ];
}

/** Stores jobs for the API. A job outside of the scope is treated like an unknown id. */
export function createVideoJobStore(handle: Handle) {
  return {
    ...jobInserts(handle),

    async find(scope: ReadScope, jobId: string): Promise<VideoJob | null> {
      const [row] = await uncheckedRowsOf<VideoJobRow>(
        handle,
        `select ${COLUMNS} from video_jobs j where j.id = ? and ${inScope(scope)}`,
        [jobId, ...scopeBindings(scope)],
      );
      return row === undefined ? null : toVideoJob(row);
    },

    /** Returns a job without a scope, for holders of a signed URL and for activities. */
    async findUnscoped(jobId: string): Promise<VideoJob | null> {
      const [row] = await uncheckedRowsOf<VideoJobRow>(
        handle,
        `select ${COLUMNS} from video_jobs j where j.id = ?`,
        [jobId],
      );
      return row === undefined ? null : toVideoJob(row);
    },

    /** Returns the statuses of many jobs; unknown ids are left out. */
    async statuses(jobIds: string[]): Promise<Pick<VideoJob, 'id' | 'status'>[]> {
      return uncheckedRowsOf(handle, `select id, status from video_jobs where id = any(?)`, [jobIds]);
    },

    /** Lists jobs, newest first. */
    async list(scope: ReadScope, page: JobPage): Promise<{ jobs: VideoJob[]; totalCount: number }> {
      const { where, bindings } = pageCondition(scope, page);
      const [rows, [count]] = await Promise.all([
        uncheckedRowsOf<VideoJobRow>(
          handle,
          `select ${COLUMNS} from video_jobs j where ${where}
           order by j.created_at desc, j.id desc limit ? offset ?`,
          [...bindings, page.limit, page.offset],
        ),
        uncheckedRowsOf<{ n: string }>(
          handle,
          `select count(*) n from video_jobs j where ${where}`,
          bindings,
        ),
      ]);
      return { jobs: rows.map(toVideoJob), totalCount: Number(count?.n ?? 0) };
    },

    /** Records the first request to cancel an open job. The row decides; the signal to the run only speeds it up. */
    async requestCancel(jobId: string): Promise<void> {
      await handle.raw(
        `update video_jobs set cancel_requested_at = coalesce(cancel_requested_at, now()), updated_at = now()
         where id = ? and status in ('pending', 'in_progress')`,
        [jobId],
      );
    },
  };
}

/** Builds the methods that store new jobs. */
function jobInserts(handle: Handle) {
  return {
    async openJobsOf(organizationId: string): Promise<OpenJobs> {
      const [row] = await uncheckedRowsOf<OpenJobs>(
        handle,
        `${OPEN_JOBS} where organization_id = ? and ${IS_OPEN}`,
        [organizationId],
      );
      return row ?? { jobs: 0, bytes: 0 };
    },

    async insert(job: NewVideoJob): Promise<void> {
      const request = JSON.stringify(job.request);
      await handle.raw(
        `with job as (
           insert into video_jobs (${INSERTED}) values (${INSERTED_TYPES}) returning id
         )
         ${INSERT_REQUEST}`,
        [...insertedValues(job, request), request],
      );
    },

    /**
     * Inserts a job that no limit, budget or enforced credit applies to, in one statement. Returns false if one of
     * these applies, the organization has `most` open jobs, or the key is in another workspace, disabled, deleted or
     * expired. Waits for a running deletion of the workspace, and then checks again.
     */
    async insertUnlimited(job: NewVideoJob, most: OpenJobs): Promise<boolean> {
      const request = JSON.stringify(job.request);
      const rows = await uncheckedRowsOf<{ id: string }>(
        handle,
        `with job as (
         insert into video_jobs (${INSERTED})
         select ${INSERTED_TYPES} from api_keys k
           join organizations o on o.id = k.organization_id
           join workspaces w on w.id = k.workspace_id
         where k.id = ? and k.workspace_id = ? and not k.disabled and k.deleted_at is null and w.deleted_at is null
           and (k.expires_at is null or k.expires_at > now())
           and k.limit_nanos is null and not o.credit_enforcement
           and not exists (select from workspace_budgets b where b.workspace_id = k.workspace_id)
           and exists (
             select from (${OPEN_JOBS} v where v.organization_id = k.organization_id and v.${IS_OPEN}) open
             where open.jobs < ? and open.bytes + ? <= ?)
         for key share of w
         returning id)
         ${INSERT_REQUEST}`,
        [
          ...insertedValues(job, request),
          job.keyId,
          job.workspaceId,
          most.jobs,
          Buffer.byteLength(request),
          most.bytes,
          request,
        ],
      );
      return rows.length > 0;
    },
  };
}

/** Returns the condition for the jobs of a list. */
function pageCondition(scope: ReadScope, page: JobPage): { where: string; bindings: Knex.RawBinding[] } {
  const filters: [condition: string, value: Knex.RawBinding | undefined][] = [
    ['j.status = ?', page.status],
    ['j.model = ?', page.model],
    ['j.created_at >= ?', page.createdAfter],
    ['j.created_at < ?', page.createdBefore],
  ];
  const given = filters.filter(([, value]) => value !== undefined);
  return {
    where: [inScope(scope), ...given.map(([condition]) => condition)].join(' and '),
    bindings: [...scopeBindings(scope), ...given.map(([, value]) => value!)],
  };
}

/** Returns the wait of a pending job. A job that no run has claimed waits for its turn. */
function waitOf(row: VideoJobRow): JobWait | undefined {
  const { status, claimed_at: claimedAt, waiting_reason: reason } = row;
  if (status !== 'pending') return undefined;
  if (claimedAt === null) return { reason: 'queued', since: row.created_at };
  return reason === null ? undefined : { reason, since: row.waiting_since, nextTryAt: row.next_try_at };
}

function toVideoJob(row: VideoJobRow): VideoJob {
  const waiting = waitOf(row);
  return {
    id: row.id,
    generationId: row.generation_id,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    keyId: Number(row.key_id),
    model: row.model,
    provider: row.provider,
    status: row.status,
    isByok: row.is_byok,
    outputs: row.outputs ?? [],
    createdAt: row.created_at,
    deadlineAt: row.deadline_at,
    ...(row.submitted_at === null ? {} : { submittedAt: row.submitted_at }),
    ...(row.progress_percent === null ? {} : { progressPercent: row.progress_percent }),
    ...(waiting === undefined ? {} : { waiting }),
    ...(row.webhook === null ? {} : { webhook: row.webhook }),
    ...(row.error === null || row.ended_at === null ? {} : { error: row.error }),
    ...(row.cost_nanos === null ? {} : { costNanos: BigInt(row.cost_nanos) }),
    ...(row.outputs_expire_at === null ? {} : { outputsExpireAt: row.outputs_expire_at }),
    ...(row.cancel_requested_at === null ? {} : { cancelRequestedAt: row.cancel_requested_at }),
    ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
  };
}
