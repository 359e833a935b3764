import { createJobRunStore } from '../../db/job-run-store.ts';
import { liveSubmission, type RunningJob } from '../../db/running-job.ts';
import { createVideoJobStore } from '../../db/video-job-store.ts';
import type { Handle } from '../../db/connection.ts';
import type { VideoEndpoint, VideoModel } from '../../domain/catalog.ts';
import { AppError, invalidRequest, type Issue } from '../../domain/errors.ts';
import { VIDEO_JOB_ID_PATTERN } from '../../domain/ids.ts';
import type { Principal } from '../../domain/principal.ts';
import { shapeContinuation } from '../../domain/video-continuation.ts';
import type { ShapedRequest, VideoRequest } from '../../domain/video-request.ts';

/** An endpoint, and what it would make of the request or cannot do. */
export interface EndpointShape {
  endpoint: VideoEndpoint;
  shape: ShapedRequest | { issues: Issue[] };
}

/**
 * A continuation runs on the model and endpoint of the job it continues (spec, POST /videos), and in its
 * shape. Throws 404 for a job that the caller does not see, and 400 for one that cannot be continued.
 */
export async function planContinuation(
  { knex }: { knex: Handle },
  principal: Principal,
  request: VideoRequest,
  previousJobId: string,
  model: VideoModel,
): Promise<EndpointShape> {
  const previous = await findCompleted(knex, principal, previousJobId);
  if (previous.model !== model.id) {
    throw cannotContinue(`names a job of model ${previous.model}, not ${model.id}`);
  }
  const ranOn = liveSubmission(previous)?.endpointId;
  const endpoint = model.endpoints.find(({ id }) => id === ranOn);
  if (endpoint === undefined) throw new AppError('unavailable', { reason: 'endpoint_unavailable' });
  const { capabilities, providerSlug } = endpoint;
  const shape = shapeContinuation(request, previous.requestFacts.shaped, capabilities, providerSlug);
  return { endpoint, shape };
}

async function findCompleted(
  knex: Handle,
  { organizationId, workspaceId }: Principal,
  jobId: string,
): Promise<RunningJob> {
  if (!VIDEO_JOB_ID_PATTERN.test(jobId)) throw new AppError('not_found');
  const visible = await createVideoJobStore(knex).find({ organizationId, workspaceId }, jobId);
  const job = visible && (await createJobRunStore(knex).find(jobId));
  if (job === null) throw new AppError('not_found', { reason: 'previous_job_not_found' });
  if (job.status !== 'completed') throw cannotContinue(`names a job that is ${job.status}, not completed`);
  return job;
}

function cannotContinue(message: string): AppError {
  return invalidRequest({ path: 'body.previous_job_id', message });
}
