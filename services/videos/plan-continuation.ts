/** Plans a video that continues a previous one, at the account and endpoint that made the previous video. */
import { createJobRunStore } from '../../db/videos/job-run-store.ts';
import { liveSubmission, type RunningJob } from '../../db/videos/running-job.ts';
import { createVideoJobStore } from '../../db/videos/video-job-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { AppError, invalidRequest } from '../../domain/errors.ts';
import { VIDEO_JOB_ID_PATTERN } from '../../domain/ids.ts';
import type { Principal } from '../../domain/principal.ts';
import { shapeContinuation } from '../../domain/videos/video-continuation.ts';
import type { VideoRequest } from '../../domain/videos/video-request.ts';
import { requireId } from '../require-found.ts';
import type { ShapedChoice, VideoChoice } from './video-choices.ts';

/**
 * Plans a continuation. It runs on the model, endpoint and credential of the previous job, and in its shape. Throws 404
 * for a job that the caller may not see, and 400 for one that cannot be continued.
 */
export async function planContinuation(
  { knex }: { knex: Handle },
  principal: Principal,
  request: VideoRequest,
  previousJobId: string,
  choices: readonly [VideoChoice, ...VideoChoice[]],
): Promise<ShapedChoice> {
  const previous = await findCompleted(knex, principal, previousJobId);
  const { id } = choices[0].model;
  if (previous.model !== id) {
    throw cannotContinue(`names a job of model ${previous.model}, not ${id}`);
  }
  const ranOn = liveSubmission(previous)?.endpointId;
  // Only the account that made the first video has it.
  const choice = choices.find(({ credentialId }) => credentialId === previous.credentialId);
  const endpoint = choice?.endpoints.find((one) => one.id === ranOn);
  if (choice === undefined || endpoint === undefined) {
    throw new AppError('unavailable', { reason: 'endpoint_unavailable' });
  }
  const { capabilities, providerSlug } = endpoint;
  const shape = shapeContinuation(request, previous.requestFacts.shaped, capabilities, providerSlug);
  return { ...choice, shapes: [{ endpoint, shape }] };
}

async function findCompleted(
  knex: Handle,
  { organizationId, workspaceId }: Principal,
  jobId: string,
): Promise<RunningJob> {
  requireId(jobId, VIDEO_JOB_ID_PATTERN);
  const visible = await createVideoJobStore(knex).find({ organizationId, workspaceId }, jobId);
  const job = visible && (await createJobRunStore(knex).find(jobId));
  if (job === null) throw new AppError('not_found', { reason: 'previous_job_not_found' });
  if (job.status !== 'completed') throw cannotContinue(`names a job that is ${job.status}, not completed`);
  return job;
}

function cannotContinue(message: string): AppError {
  return invalidRequest({ path: 'body.previous_job_id', message });
}
