/** Inserts, finds and lists video jobs for the API, and records requests to cancel them. */
import type { VendorReport } from '../../domain/catalog/video-meters.ts';
import { BILLING_FLAGS } from '../../domain/videos/billing-flag.ts';
import { JOB_STATUSES, type JobStatus } from '../../domain/videos/job.ts';
import type { ReadScope } from '../../domain/principal.ts';
import type { JobOutput, JobWait, JobWebhook, NewVideoJob, VideoJob } from '../../domain/videos/video-job.ts';
import { WAIT_REASONS } from '../../domain/videos/wait-reason.ts';
import type { Handle } from '../postgres/connection.ts';
import { anyRows, countRows, firstRow } from '../postgres/results.ts';
import * as column from '../postgres/shape.ts';
import { type RowOf, selectList } from '../postgres/shape.ts';
import { joined, type Sql, sql, trustedText } from '../postgres/sql-text.ts';
import { rowsOf, run } from '../postgres/statement.ts';
import { inScope, scopeValues } from './job-scope.ts';

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

const JOB = {
  id: column.text,
  generationId: column.text,
  organizationId: column.uuid,
  workspaceId: column.uuid,
  keyId: column.int8,
  model: column.text,
  provider: column.text,
  status: column.oneOf(JOB_STATUSES),
  error: column.text.orNull,
  costNanos: column.numeric.orNull,
  report: column.jsonb<VendorReport>().orNull,
  billingFlag: column.oneOf(BILLING_FLAGS).orNull,
  isByok: column.bool,
  outputsExpireAt: column.timestamptz.orNull,
  cancelRequestedAt: column.timestamptz.orNull,
  createdAt: column.timestamptz,
  submittedAt: column.timestamptz.orNull,
  deadlineAt: column.timestamptz,
  progressPercent: column.int2.orNull,
  claimedAt: column.timestamptz.orNull,
  waitingReason: column.oneOf(WAIT_REASONS).orNull,
  waitingSince: column.timestamptz.orNull,
  nextTryAt: column.timestamptz.orNull,
  endedAt: column.timestamptz.orNull,
  webhook: column.json<JobWebhook>().orNull,
  outputs: column.json<JobOutput[]>().orNull,
};
type JobRow = RowOf<typeof JOB>;

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

const OUTPUTS = `(
  select json_agg(json_build_object('index', o.index, 'objectKey', o.object_key,
                                    'contentType', o.content_type, 'bytes', o.bytes) order by o.index)
  from job_outputs o where o.job_id = j.id and o.removed_at is null)`;

/** SQL: what the provider reported for a job whose price was not fixed. */
const REPORT = `case when j.terms is not null then (
  select s.report from job_submissions s where s.job_id = j.id and s.state = 'accepted') end`;

const COMPUTED = { webhook: WEBHOOK, outputs: OUTPUTS, report: REPORT };
const JOBS = `select ${selectList(JOB, 'j', COMPUTED)} from video_jobs j`;

const INSERTED = `id, generation_id, organization_id, workspace_id, key_id, model, provider, endpoint_ids,
  request_facts, client, previous_job_id, uses_default_callback, callback_url, price_nanos, terms, is_byok, credential_id,
  deadline_at, created_at, request_bytes`;

/** SQL: the values of an inserted job. A job without a callback URL gets its workspace's default. */
const INSERTED_VALUES = `:id::text, :generationId::text, :organizationId::uuid, :workspaceId::uuid, :keyId::bigint,
  :model::text, :provider::text, :endpointIds::text[], :requestFacts::jsonb, :client::jsonb, :previousJobId::text,
  :usesDefaultCallback::boolean,
  coalesce(:callbackUrl::text, (select default_callback_url from workspaces where id = :workspaceId::uuid)),
  :priceNanos::numeric, :terms::jsonb, :isByok::boolean, :credentialId::uuid, :deadlineAt::timestamptz, :createdAt::timestamptz,
  :requestBytes::integer`;

/** SQL that inserts the request in the same statement as the job. */
const INSERT_REQUEST = `insert into job_requests (job_id, request) select id, :request::json from job`;

const OPEN = { jobs: column.int4, bytes: column.float8 };
/** SQL: the number of an organization's open jobs, and the size of their requests. */
const OPEN_JOBS = `select count(*)::integer jobs, coalesce(sum(request_bytes), 0)::float8 bytes from video_jobs`;
const IS_OPEN = `status in ('pending', 'in_progress')`;

function insertedValues(job: NewVideoJob) {
  const request = JSON.stringify(job.request);
  return {
    id: job.id,
    generationId: job.generationId,
    organizationId: job.organizationId,
    workspaceId: job.workspaceId,
    keyId: job.keyId,
    model: job.model,
    provider: job.provider,
    endpointIds: job.endpointIds,
    requestFacts: JSON.stringify(job.requestFacts),
    client: JSON.stringify(job.client),
    previousJobId: job.previousJobId ?? null,
    usesDefaultCallback: job.callbackUrl === undefined,
    callbackUrl: job.callbackUrl ?? null,
    priceNanos: job.priceNanos.toString(),
    terms: job.terms === undefined ? null : JSON.stringify(job.terms),
    isByok: job.isByok,
    credentialId: job.credentialId ?? null,
    deadlineAt: job.deadlineAt,
    createdAt: job.createdAt,
    requestBytes: Buffer.byteLength(request),
    request,
  };
}

/** Stores jobs for the API. A job outside of the scope is treated like an unknown id. */
export function createVideoJobStore(handle: Handle) {
  return {
    ...jobInserts(handle),

    async find(scope: ReadScope, jobId: string): Promise<VideoJob | null> {
      const values = { jobId, ...scopeValues(scope) };
      const row = await firstRow(handle, JOB, `${JOBS} where j.id = :jobId and ${inScope(scope)}`, values);
      return row && toVideoJob(row);
    },

    /** Returns a job without a scope, for holders of a signed URL and for activities. */
    async findUnscoped(jobId: string): Promise<VideoJob | null> {
      const row = await firstRow(handle, JOB, `${JOBS} where j.id = :jobId`, { jobId });
      return row && toVideoJob(row);
    },

    /** Returns the statuses of many jobs; unknown ids are left out. */
    statuses: (jobIds: string[]): Promise<Pick<VideoJob, 'id' | 'status'>[]> =>
      rowsOf(
        handle,
        { id: column.text, status: column.oneOf(JOB_STATUSES) },
        `select id, status from video_jobs where id = any(:jobIds)`,
        { jobIds },
      ),

    /** Lists jobs, newest first. */
    async list(scope: ReadScope, page: JobPage): Promise<{ jobs: VideoJob[]; totalCount: number }> {
      const where = pageCondition(scope, page);
      const [rows, totalCount] = await Promise.all([
        rowsOf(
          handle,
          JOB,
          sql`${trustedText(JOBS)} where ${where}
           order by j.created_at desc, j.id desc limit ${page.limit} offset ${page.offset}`,
        ),
        countRows(handle, sql`from video_jobs j where ${where}`),
      ]);
      return { jobs: rows.map(toVideoJob), totalCount };
    },

    /** Records the first request to cancel an open job. The row decides; the signal to the run only speeds it up. */
    async requestCancel(jobId: string): Promise<void> {
      await run(
        handle,
        `update video_jobs set cancel_requested_at = coalesce(cancel_requested_at, now()), updated_at = now()
         where id = :jobId and status in ('pending', 'in_progress')`,
        { jobId },
      );
    },
  };
}

/** Builds the methods that store new jobs. */
function jobInserts(handle: Handle) {
  return {
    async openJobsOf(organizationId: string): Promise<OpenJobs> {
      const statement = `${OPEN_JOBS} where organization_id = :organizationId and ${IS_OPEN}`;
      const [open] = await rowsOf(handle, OPEN, statement, { organizationId });
      return open ?? { jobs: 0, bytes: 0 };
    },

    async insert(job: NewVideoJob): Promise<void> {
      await run(
        handle,
        `with job as (
           insert into video_jobs (${INSERTED}) values (${INSERTED_VALUES}) returning id
         )
         ${INSERT_REQUEST}`,
        insertedValues(job),
      );
    },

    /**
     * Inserts a job that no limit, budget or enforced credit applies to, in one statement. Returns false if one of
     * these applies, the organization has `most` open jobs, or the key is in another workspace, disabled, deleted or
     * expired. Waits for a running deletion of the workspace, and then checks again.
     */
    insertUnlimited: (job: NewVideoJob, most: OpenJobs): Promise<boolean> =>
      anyRows(
        handle,
        `with job as (
         insert into video_jobs (${INSERTED})
         select ${INSERTED_VALUES} from api_keys k
           join organizations o on o.id = k.organization_id
           join workspaces w on w.id = k.workspace_id
         where k.id = :keyId and k.workspace_id = :workspaceId
           and not k.disabled and k.deleted_at is null and w.deleted_at is null
           and (k.expires_at is null or k.expires_at > now())
           and k.limit_nanos is null and not o.credit_enforcement
           and not exists (select from workspace_budgets b where b.workspace_id = k.workspace_id)
           and exists (
             select from (${OPEN_JOBS} v where v.organization_id = k.organization_id and v.${IS_OPEN}) open
             where open.jobs < :mostJobs and open.bytes + :requestBytes <= :mostBytes)
         for key share of w
         returning id)
         ${INSERT_REQUEST}`,
        { ...insertedValues(job), mostJobs: most.jobs, mostBytes: most.bytes },
      ),
  };
}

/** Returns the condition for the jobs of a list. */
function pageCondition(scope: ReadScope, { status, model, createdAfter, createdBefore }: JobPage): Sql {
  const { organizationId, workspaceId } = scope;
  return joined(
    [
      sql`j.organization_id = ${organizationId}`,
      workspaceId === undefined ? undefined : sql`j.workspace_id = ${workspaceId}`,
      status && sql`j.status = ${status}`,
      model === undefined ? undefined : sql`j.model = ${model}`,
      createdAfter && sql`j.created_at >= ${createdAfter}`,
      createdBefore && sql`j.created_at < ${createdBefore}`,
    ],
    ' and ',
  );
}

/** Returns the wait of a pending job. A job that no run has claimed waits for its turn. */
function waitOf(row: JobRow): JobWait | undefined {
  if (row.status !== 'pending') return undefined;
  if (row.claimedAt === null) return { reason: 'queued', since: row.createdAt };
  const { waitingReason: reason, waitingSince: since, nextTryAt } = row;
  // The three are written together.
  return reason === null ? undefined : { reason, since: since!, nextTryAt: nextTryAt! };
}

function toVideoJob(row: JobRow): VideoJob {
  return {
    id: row.id,
    generationId: row.generationId,
    organizationId: row.organizationId,
    workspaceId: row.workspaceId,
    keyId: Number(row.keyId),
    model: row.model,
    provider: row.provider,
    status: row.status,
    isByok: row.isByok,
    outputs: row.outputs ?? [],
    createdAt: row.createdAt,
    deadlineAt: row.deadlineAt,
    submittedAt: row.submittedAt ?? undefined,
    progressPercent: row.progressPercent ?? undefined,
    waiting: waitOf(row),
    webhook: row.webhook ?? undefined,
    error: row.endedAt === null ? undefined : (row.error ?? undefined),
    costNanos: row.costNanos === null ? undefined : BigInt(row.costNanos),
    report: row.report ?? undefined,
    billingFlag: row.billingFlag ?? undefined,
    outputsExpireAt: row.outputsExpireAt ?? undefined,
    cancelRequestedAt: row.cancelRequestedAt ?? undefined,
    endedAt: row.endedAt ?? undefined,
  };
}
