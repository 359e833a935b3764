/** Loads the fields of a video job that its workflow needs, with its submissions. */
import { BILLING_FLAGS } from '../../domain/videos/billing-flag.ts';
import { JOB_FAILURE_CODES, JOB_STATUSES } from '../../domain/videos/job.ts';
import type { Nanos } from '../../domain/money.ts';
import type { ClientFacts } from '../../domain/principal.ts';
import type { RequestFacts } from '../../domain/videos/video-job.ts';
import type { JobTerms, VideoTerms } from '../../domain/videos/video-price.ts';
import * as column from '../postgres/shape.ts';
import { type RowOf, selectList } from '../postgres/shape.ts';
import { type Submission, SUBMISSIONS } from './submission-store.ts';

/** The columns of `video_jobs` that a job's run needs. */
const JOB = {
  id: column.text,
  generationId: column.text,
  organizationId: column.uuid,
  workspaceId: column.uuid,
  keyId: column.int8,
  model: column.text,
  provider: column.text,
  endpointIds: column.texts,
  requestFacts: column.jsonb<RequestFacts>(),
  client: column.jsonb<ClientFacts>(),
  previousJobId: column.text.orNull,
  callbackUrl: column.text.orNull,
  /** True: the callback URL is the workspace's default. */
  usesDefaultCallback: column.bool,
  status: column.oneOf(JOB_STATUSES),
  failureCode: column.oneOf(JOB_FAILURE_CODES).orNull,
  priceNanos: column.numeric,
  /** The billed amount; null while the job is open, and if it costs nothing. */
  costNanos: column.numeric.orNull,
  upstreamCostNanos: column.numeric.orNull,
  /** The prices of a job whose cost is known at its end; null: it costs `priceNanos`. */
  terms: column.jsonb<JobTerms>().orNull,
  /** The reason why an operator should look at the bill. */
  billingFlag: column.oneOf(BILLING_FLAGS).orNull,
  isByok: column.bool,
  /** The customer's own credential; null for the operator's. */
  credentialId: column.uuid.orNull,
  deadlineAt: column.timestamptz,
  submittedAt: column.timestamptz.orNull,
  cancelRequestedAt: column.timestamptz.orNull,
  consecutiveNotFound: column.int4,
  /** The public message: of a provider while the job is open, and why it ended without a video afterwards. */
  error: column.text.orNull,
  createdAt: column.timestamptz,
};

export const RUNNING_JOB = {
  ...JOB,
  /** The creator of the key, if it is a person. */
  userId: column.text.orNull,
  /** The submissions to providers, in order. Times are text in JSON. */
  submissions: column.json<(Omit<Submission, 'sentAt'> & { sentAt: string })[]>(),
};
type Row = RowOf<typeof RUNNING_JOB>;

/** The fields of a job that its workflow's run needs. */
export interface RunningJob extends Omit<Row, 'keyId' | Amounts | 'submissions'> {
  keyId: number;
  priceNanos: Nanos;
  costNanos: Nanos | null;
  upstreamCostNanos: Nanos | null;
  submissions: Submission[];
}
type Amounts = 'priceNanos' | 'costNanos' | 'upstreamCostNanos';

/**
 * Selects the row of `video_jobs j` with the creator of its key and its submissions. The request is left out, because
 * it may hold megabytes and only the submission reads it (job-request-store.ts).
 */
export const RUNNING_JOB_COLUMNS = selectList(RUNNING_JOB, 'j', {
  userId: '(select k.creator_user_id from api_keys k where k.id = j.key_id)',
  submissions: `(select coalesce(json_agg(s order by s.n), '[]') from (
    ${SUBMISSIONS} where s.job_id = j.id) s)`,
});

/** Returns the submission that is pending or was accepted, if any; there is at most one. */
export function liveSubmission({ submissions }: RunningJob): Submission | null {
  return submissions.find(({ state }) => state === 'sending' || state === 'accepted') ?? null;
}

/** Returns the prices at the endpoint of a submission; undefined if the price was fixed at acceptance. */
export function termsAt({ terms }: RunningJob, { endpointId }: Submission): VideoTerms | undefined {
  return terms?.[endpointId];
}

export function toRunningJob(row: Row): RunningJob {
  return {
    ...row,
    keyId: Number(row.keyId),
    priceNanos: BigInt(row.priceNanos),
    costNanos: row.costNanos === null ? null : BigInt(row.costNanos),
    upstreamCostNanos: row.upstreamCostNanos === null ? null : BigInt(row.upstreamCostNanos),
    submissions: row.submissions.map((each) => ({ ...each, sentAt: new Date(each.sentAt) })),
  };
}
