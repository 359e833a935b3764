/** Loads the fields of a video job that its workflow needs, with its submissions. */
import { JOB_FAILURE_CODES, JOB_STATUSES } from '../../domain/videos/job.ts';
import type { Nanos } from '../../domain/money.ts';
import type { ClientFacts } from '../../domain/principal.ts';
import type { RequestFacts } from '../../domain/videos/video-job.ts';
import {
  bool,
  int4,
  int8,
  json,
  jsonb,
  numeric,
  oneOf,
  type RowOf,
  selectList,
  text,
  texts,
  timestamptz,
  uuid,
} from '../postgres/shape.ts';
import { type Submission, SUBMISSIONS } from './submission-store.ts';

/** The columns of `video_jobs` that a job's run needs. */
const JOB = {
  id: text,
  generationId: text,
  organizationId: uuid,
  workspaceId: uuid,
  keyId: int8,
  model: text,
  provider: text,
  endpointIds: texts,
  requestFacts: jsonb<RequestFacts>(),
  client: jsonb<ClientFacts>(),
  previousJobId: text.orNull,
  callbackUrl: text.orNull,
  /** True: the callback URL is the workspace's default. */
  usesDefaultCallback: bool,
  status: oneOf(JOB_STATUSES),
  failureCode: oneOf(JOB_FAILURE_CODES).orNull,
  priceNanos: numeric,
  /** The billed amount; null while the job is open, and if it costs nothing. */
  costNanos: numeric.orNull,
  upstreamCostNanos: numeric.orNull,
  isByok: bool,
  /** The customer's own credential; null for the operator's. */
  credentialId: uuid.orNull,
  deadlineAt: timestamptz,
  submittedAt: timestamptz.orNull,
  cancelRequestedAt: timestamptz.orNull,
  consecutiveNotFound: int4,
  /** The public message: of a provider while the job is open, and why it ended without a video afterwards. */
  error: text.orNull,
  createdAt: timestamptz,
};

export const RUNNING_JOB = {
  ...JOB,
  /** The creator of the key, if it is a person. */
  userId: text.orNull,
  /** The submissions to providers, in order. Times are text in JSON. */
  submissions: json<(Omit<Submission, 'sentAt'> & { sentAt: string })[]>(),
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
