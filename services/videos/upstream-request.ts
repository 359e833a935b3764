/** Builds the request that a video provider receives from the caller's request and the endpoint's abilities. */
import { createSubmissionStore } from '../../db/videos/submission-store.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import type { RunningJob } from '../../db/videos/running-job.ts';
import type { VideoEndpoint } from '../../domain/catalog/catalog.ts';
import { ProviderError } from '../../domain/provider-error.ts';
import { shapeRequest, type ShapedRequest, type VideoRequest } from '../../domain/videos/video-request.ts';
import type { VideoAdapter, VideoSubmitRequest } from '../../providers/video-adapter.ts';
import type { CallbackUrl } from './callbacks/callback-url.ts';

export interface RequestDeps {
  knex: Handle;
  callbackUrl: CallbackUrl;
}

/** An endpoint with an adapter that can reach it. */
export interface ReachableEndpoint {
  endpoint: VideoEndpoint;
  adapter: VideoAdapter;
}

/**
 * Builds the request to the adapter. Leaves out session and end-user ids, trace and other providers' options. Leaves
 * out audio and video references that the endpoint does not support. A customer's own account gets no callback address,
 * because the operator could not verify its callbacks.
 */
export async function upstreamRequest(
  { knex, callbackUrl }: RequestDeps,
  job: RunningJob,
  request: VideoRequest,
  { endpoint, adapter }: ReachableEndpoint,
  idempotencyKey: string,
): Promise<VideoSubmitRequest> {
  const shaped = shapedFor(job, request, endpoint);
  const references = request.inputReferences?.filter(({ kind }) =>
    endpoint.capabilities.inputReferences?.includes(kind),
  );
  const passthrough = request.passthrough?.[endpoint.providerSlug];
  const previous =
    job.previousJobId === null ? null : await createSubmissionStore(knex).findLive(job.previousJobId);
  return {
    upstreamModel: endpoint.upstreamModelId,
    idempotencyKey,
    prompt: request.prompt,
    durationSeconds: shaped.durationSeconds,
    size: shaped.size,
    resolution: shaped.resolution,
    aspectRatio: shaped.aspectRatio,
    seed: endpoint.capabilities.seed === true ? request.seed : undefined,
    generateAudio: endpoint.capabilities.generateAudio === null ? undefined : shaped.generateAudio,
    frameImages: request.frameImages,
    inputReferences: references,
    previousOperation: previous?.operation ?? undefined,
    upscaleFactor: request.upscaleFactor,
    creativity: request.creativity,
    passthrough,
    callbackUrl:
      adapter.webhook === 'per-job' && job.credentialId === null
        ? callbackUrl(endpoint.providerSlug, job.id)
        : undefined,
    maxRunSeconds: endpoint.maxRunSeconds,
  };
}

/**
 * Returns the shape for an endpoint. The row has the shape for the first endpoint; any other endpoint fills in its own
 * defaults.
 */
function shapedFor(job: RunningJob, request: VideoRequest, endpoint: VideoEndpoint): ShapedRequest {
  const { shaped: stored } = job.requestFacts;
  if (endpoint.id === job.endpointIds[0]) return stored;
  const shaped = shapeRequest(request, endpoint.capabilities, endpoint.providerSlug);
  if (!('issues' in shaped)) return shaped;
  throw new ProviderError({
    code: 'invalid_request',
    status: 400,
    sent: false,
    retryable: false,
    publicMessage: 'The model no longer accepts this request',
  });
}
