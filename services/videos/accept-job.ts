/** Accepts a video request: plans it, checks spending limits, commits the job and starts its workflow. */
import { isForeignKeyViolation } from '../../db/postgres/connection.ts';
import { createVideoJobStore, type OpenJobs } from '../../db/videos/video-job-store.ts';
import { trackingStringOf } from '../../domain/accounts/end-user.ts';
import { AppError } from '../../domain/errors.ts';
import { newGenerationId, newVideoJobId } from '../../domain/ids.ts';
import type { Caller, Principal } from '../../domain/principal.ts';
import type { Spend } from '../../domain/ledger/spending-limit.ts';
import { type NewVideoJob, requestFacts, type VideoJob } from '../../domain/videos/video-job.ts';
import type { VideoRequest } from '../../domain/videos/video-request.ts';
import {
  answerOnce,
  type AnswerStorage,
  findEarlierAnswer,
  type OnceAnswer,
  type OnceOptions,
} from '../answer-once.ts';
import { isSpendingRefusal, SpendingRefusal } from '../ledger/spending/refusal.ts';
import { admitOpenJob, admitSpending, KeyMovedError } from './admission.ts';
import { planJob, type JobPlan, type PlanDeps, takesVideo } from './plan-job.ts';
import type { Spending } from '../ledger/spending/spending.ts';
import type { ConcurrencyLimit } from '../concurrency-limit.ts';
import type { JobStarter } from './starter.ts';

export interface AcceptDeps extends PlanDeps {
  starter: JobStarter;
  pendingDeadlineMs: number;
  creditsUrl: string;
  /** The most open jobs of an organization. */
  maxOpenJobs: OpenJobs;
  /** Adds the price of an accepted job to this process's live limits at once. */
  spending: Pick<Spending, 'note' | 'noteRefusal'>;
  /** Limits how many large inserts run at the same time in this process. */
  largeInserts: ConcurrencyLimit;
}

export interface AcceptOptions extends OnceOptions<VideoJob> {
  /** The size of the body, which is about the size of the row. */
  bodyBytes: number;
  /** Returns a signal that aborts when the caller disconnects. */
  gone(): AbortSignal;
}

const OPERATION = 'createVideo';

/** The size above which an insert keeps a connection and Postgres busy long enough to delay others. */
const LARGE_BYTES = 256 * 1024;

/**
 * Accepts a job: one commit writes the reservation, the row and the idempotency record. The workflow is started after
 * the commit, and the request succeeds even if that start fails. When the key has moved to another workspace, the job
 * is accepted again from the start there, because that workspace has other idempotency records and other jobs to
 * continue.
 */
export async function acceptJob(
  deps: AcceptDeps,
  caller: Caller,
  request: VideoRequest,
  options: AcceptOptions,
): Promise<OnceAnswer> {
  try {
    return await acceptIn(deps, caller, request, options);
  } catch (error) {
    // The previous job expired after the plan had found it. Answer as for an unknown job.
    if (isForeignKeyViolation(error, 'video_jobs_previous_job_id_fkey')) {
      throw new AppError('not_found', { reason: 'previous_job_not_found' });
    }
    if (!(error instanceof KeyMovedError)) throw error;
    const principal = { ...caller.principal, workspaceId: error.workspaceId };
    return acceptJob(deps, { principal, client: caller.client }, request, options);
  }
}

/** Accepts a job in the workspace that the principal names. */
async function acceptIn(
  deps: AcceptDeps,
  caller: Caller,
  request: VideoRequest,
  options: AcceptOptions,
): Promise<OnceAnswer> {
  const { principal } = caller;
  const { organizationId, workspaceId } = principal;
  const { idempotency } = options;
  const scope = idempotency && { ...idempotency, organizationId, workspaceId, operation: OPERATION };
  const storage = { knex: deps.knex, scope };
  const earlier = await findEarlierAnswer(storage);
  if (earlier !== undefined) return earlier;

  const [plan, ownPlan] = await planJob(deps, principal, request);
  const acceptAs = async (chosen: JobPlan): Promise<OnceAnswer> => {
    const job = buildJob(deps, caller, request, chosen);
    return (
      (await acceptUnlimited(deps, job, options)) ?? acceptWithLimits(deps, principal, job, options, storage)
    );
  };
  const accept = async (): Promise<OnceAnswer> => {
    try {
      return await acceptAs(plan);
    } catch (error) {
      if (error instanceof SpendingRefusal) deps.spending.noteRefusal(principal, error.ceiling);
      if (ownPlan === undefined || !isSpendingRefusal(error)) throw error;
      return acceptAs(ownPlan);
    }
  };
  if (options.bodyBytes < LARGE_BYTES) return accept();
  return deps.largeInserts.run('video requests', options.gone(), accept);
}

/**
 * Accepts a job without an idempotency key and without limits by inserting its row alone. Returns undefined when the
 * job has one of them, or its organization too many open jobs.
 */
async function acceptUnlimited(
  deps: AcceptDeps,
  job: NewVideoJob,
  { idempotency, respond }: AcceptOptions,
): Promise<OnceAnswer | undefined> {
  if (idempotency !== undefined) return undefined;
  // Render first: a job must not be accepted if its answer cannot be rendered.
  const answer = respond(toVideoJob(job));
  if (!(await createVideoJobStore(deps.knex).insertUnlimited(job, deps.maxOpenJobs))) return undefined;
  deps.starter.enqueue(job);
  return { ...answer, replayed: false };
}

async function acceptWithLimits(
  deps: AcceptDeps,
  principal: Principal,
  job: NewVideoJob,
  { respond }: AcceptOptions,
  storage: AnswerStorage,
): Promise<OnceAnswer> {
  const answer = await answerOnce(storage, async (transaction, remember) => {
    const rendered = respond(toVideoJob(job));
    // Store the answer first. It blocks a repetition of this request, which otherwise would get a 402 for the credit
    // that this one reserves.
    await remember(rendered);
    await admitOpenJob(transaction, principal, job, deps.maxOpenJobs);
    await admitSpending(transaction, principal, spendOf(job), deps.creditsUrl);
    await createVideoJobStore(transaction).insert(job);
    return rendered;
  });
  if (answer.replayed) return answer;
  deps.spending.note(principal, spendOf(job));
  deps.starter.enqueue(job);
  return answer;
}

function buildJob(
  deps: AcceptDeps,
  { principal, client }: Caller,
  request: VideoRequest,
  plan: JobPlan,
): NewVideoJob {
  const createdAt = new Date();
  return {
    id: newVideoJobId(createdAt.getTime()),
    generationId: newGenerationId(createdAt.getTime()),
    organizationId: principal.organizationId,
    workspaceId: principal.workspaceId,
    keyId: principal.keyId,
    model: plan.model.id,
    provider: plan.endpoints[0].providerSlug,
    endpointIds: plan.endpoints.map((endpoint) => endpoint.id),
    request,
    requestFacts: {
      ...requestFacts({ ...request, ...endUserOf(principal, request) }, plan.shaped),
      hasVideoInput: takesVideo(request),
      priceVersions: versionsOf(plan),
    },
    client,
    priceNanos: plan.priceNanos,
    terms: plan.terms,
    isByok: plan.credentialId !== null,
    credentialId: plan.credentialId ?? undefined,
    deadlineAt: new Date(createdAt.getTime() + deps.pendingDeadlineMs),
    createdAt,
    callbackUrl: request.callbackUrl,
    previousJobId: request.previousJobId,
  };
}

function spendOf({ priceNanos, isByok }: NewVideoJob): Spend {
  return isByok ? { usage: 0n, byok: priceNanos } : { usage: priceNanos, byok: 0n };
}

function versionsOf({ endpoints }: JobPlan): Record<string, number> {
  return Object.fromEntries(
    endpoints.flatMap(({ id, priceVersion }) => (priceVersion === undefined ? [] : [[id, priceVersion]])),
  );
}

/** Returns the end user whose usage this is: the one that the request names, or that its key is bound to. */
function endUserOf({ externalUser }: Principal, { user }: VideoRequest): Pick<VideoRequest, 'user'> {
  return trackingStringOf(user) === null && externalUser !== undefined ? { user: externalUser } : {};
}

function toVideoJob(job: NewVideoJob): VideoJob {
  const { id, generationId, organizationId, workspaceId, keyId, model, provider, isByok } = job;
  const { createdAt, deadlineAt } = job;
  return {
    id,
    generationId,
    organizationId,
    workspaceId,
    keyId,
    model,
    provider,
    isByok,
    createdAt,
    deadlineAt,
    status: 'pending',
    outputs: [],
  };
}
