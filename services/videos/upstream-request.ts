import { createSubmissionStore } from '../../db/videos/submission-store.ts';
import type { Handle } from '../../db/connection.ts';
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

/** An endpoint that can be reached. */
export interface Served {
  endpoint: VideoEndpoint;
  adapter: VideoAdapter;
}

/**
 * What the adapter is asked for. Session and end-user ids, trace and other providers' options stay here
 * (spec, POST /videos). Audio and video references are left out where the endpoint does not honor them. A customer's own account
 * is asked for no callbacks, since the operator could not verify them.
 */
export async function upstreamRequest(
  { knex, callbackUrl }: RequestDeps,
  job: RunningJob,
  request: VideoRequest,
  { endpoint, adapter }: Served,
  idempotencyKey: string,
): Promise<VideoSubmitRequest> {
  const shaped = shapedFor(job, request, endpoint);
  const references = request.inputReferences?.filter(({ kind }) =>
    endpoint.capabilities.inputReferences?.includes(kind),
  );
  const passthrough = request.passthrough?.[endpoint.providerSlug];
  const previous =
    job.previousJobId === null ? null : await createSubmissionStore(knex).findLive(job.previousJobId);
  return withoutUndefined({
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
  });
}

/**
 * The first endpoint's defaults were stored; a later candidate fills in its own. Pixels that were asked for are those that
 * were stored: a process of the version before accepted pixels that were only near to them.
 */
function shapedFor(job: RunningJob, request: VideoRequest, endpoint: VideoEndpoint): ShapedRequest {
  const { shaped: stored } = job.requestFacts;
  if (endpoint.id === job.endpointIds[0]) return stored;
  const exact = request.size && stored.size ? { size: stored.size } : {};
  const shaped = shapeRequest({ ...request, ...exact }, endpoint.capabilities, endpoint.providerSlug);
  if (!('issues' in shaped)) return shaped;
  throw new ProviderError({
    code: 'invalid_request',
    status: 400,
    sent: false,
    retryable: false,
    publicMessage: 'The model no longer accepts this request',
  });
}

type Loose<T> = { [K in keyof T]: T[K] | undefined };

function withoutUndefined(request: Loose<VideoSubmitRequest>): VideoSubmitRequest {
  return Object.fromEntries(
    Object.entries(request).filter(([, value]) => value !== undefined),
  ) as unknown as VideoSubmitRequest;
}
