/** Downloads the finished files of a video job and stores them. */
import { createJobOutputStore } from '../../db/videos/job-output-store.ts';
import { createJobRunStore } from '../../db/videos/job-run-store.ts';
import { liveSubmission, type RunningJob } from '../../db/videos/running-job.ts';
import {
  createSubmissionStore,
  type Submission,
  type SubmissionOutput,
} from '../../db/videos/submission-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { ProviderError } from '../../domain/provider-error.ts';
import { type ObjectStore, ObjectTooLargeError } from '../../platform/object-store.ts';
import { createDeadline } from '../../platform/outbound-deadline.ts';
import type { CallContext } from '../../providers/call-context.ts';
import type { VideoAdapter } from '../../providers/video-adapter.ts';
import { adapterOf, type JobAdapterDeps, endIfCredentialDeleted } from './job-adapter.ts';
import { type JobStep, retryLater } from './job-step.ts';
import { videoContentType } from './video-content-type.ts';

export interface StoreDeps extends JobAdapterDeps {
  knex: Handle;
  objectStore: ObjectStore;
  maxOutputBytes: number;
  shortestRetryMs: number;
  /** The time limit of one attempt. The files of an older, unfinished attempt count as abandoned. */
  timeouts: { storeMs: number };
}

export type StoreStep = { kind: 'stored'; outputs: number } | JobStep;

/**
 * Streams each finished file into the object store and records it. Records the intention first, so that a file without
 * a final record is found and removed (expire-outputs.ts). Does not fetch stored files again, and requests an expired
 * location again. Stores nothing when the job has ended meanwhile, because its end stands.
 */
export function storeOutputs(deps: StoreDeps, jobId: string, context: CallContext): Promise<StoreStep> {
  return endIfCredentialDeleted(store(deps, jobId, context));
}

async function store(deps: StoreDeps, jobId: string, context: CallContext): Promise<StoreStep> {
  const job = await createJobRunStore(deps.knex).find(jobId);
  const submission = job && liveSubmission(job);
  const adapter = submission && (await adapterOf(deps, submission.provider, job));
  if (job === null || submission?.operation == null) throw new Error('no accepted submission to store from');
  if (!adapter) return retryLater(deps.shortestRetryMs, 'no worker can reach the provider');
  const files = (submission.outputs ?? []).map(({ index }) => ({
    index,
    objectKey: objectKeyOf(job, index),
  }));
  const missing = await createJobOutputStore(deps.knex).intend(jobId, files);
  const deadline = createDeadline(deps.timeouts.storeMs, context.signal);
  const limited = { ...context, signal: deadline.signal };
  try {
    for (const output of submission.outputs ?? []) {
      if (missing.includes(output.index)) await storeOne(deps, job, submission, output, adapter, limited);
    }
  } catch (error) {
    // A retry would find a file of the same size.
    if (error instanceof ObjectTooLargeError) return UNAVAILABLE;
    if (!(error instanceof ProviderError)) throw error;
    if (error.code === 'not_found') await refreshLocations(deps, submission, adapter, context);
    // When the vendor states no wait, the waits grow, because each retry of a broken download fetches the whole file.
    return retryLater(error.retryAfterMs, error.brief);
  } finally {
    deadline.clear();
  }
  const outputs = submission.outputs?.length ?? 0;
  return outputs > 0 ? { kind: 'stored', outputs } : UNAVAILABLE;
}

const UNAVAILABLE: JobStep = { kind: 'ended', end: { status: 'failed', code: 'output_unavailable' } };

/**
 * Returns the key of a file. The key is the same for every attempt, so that an attempt overwrites the previous one's
 * file.
 */
function objectKeyOf(job: RunningJob, index: number): string {
  return `videos/${job.workspaceId}/${job.id}/${index}`;
}

async function storeOne(
  deps: StoreDeps,
  job: RunningJob,
  submission: Submission,
  output: SubmissionOutput,
  adapter: VideoAdapter,
  context: CallContext,
): Promise<void> {
  const opened = await adapter.openOutput(output, submission.operation!, context);
  if (opened.bytes !== undefined && opened.bytes > deps.maxOutputBytes) {
    opened.body.destroy();
    throw new ObjectTooLargeError(deps.maxOutputBytes);
  }
  const { body, contentType } = await videoContentType(opened);
  const objectKey = objectKeyOf(job, output.index);
  const { bytes, sha256 } = await deps.objectStore.put(objectKey, body, {
    contentType,
    maxBytes: deps.maxOutputBytes,
  });
  if (opened.bytes !== undefined && opened.bytes !== bytes) {
    throw new ProviderError({
      code: 'connection_lost',
      sent: true,
      retryable: true,
      publicMessage: `The provider sent ${bytes} of ${opened.bytes} bytes`,
    });
  }
  await createJobOutputStore(deps.knex).confirm({
    jobId: job.id,
    index: output.index,
    objectKey,
    contentType,
    bytes,
    sha256,
  });
}

async function refreshLocations(
  deps: StoreDeps,
  submission: Submission,
  adapter: VideoAdapter,
  context: CallContext,
): Promise<void> {
  const status = await adapter.status(submission.operation!, context).catch(() => undefined);
  if (status?.state !== 'completed') return;
  await createSubmissionStore(deps.knex).noteOutputs(submission.jobId, submission.n, status.outputs);
}
