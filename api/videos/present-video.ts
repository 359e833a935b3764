/** Presents video jobs, with their status and download URLs, and the models that make them. */
import type { AcceptedVideo, Video, VideoModelRecord } from '../../contract/videos/video.ts';
import type { VideoModel } from '../../domain/catalog/catalog.ts';
import { nanosToUsd } from '../../domain/money.ts';
import { isTerminal } from '../../domain/videos/job.ts';
import { type PollBounds, pollDelayMs } from '../../domain/videos/poll-pace.ts';
import type { VideoJob } from '../../domain/videos/video-job.ts';
import { meteredUsageOf } from '../../domain/videos/video-usage.ts';
import { videoPixels } from '../../domain/videos/video-shape.ts';
import { eitherSizeRule } from '../catalog/image-models.ts';
import type { UrlSigner } from '../../services/videos/url-signer.ts';
import { API_BASE } from '../http/base-path.ts';
import type { Api } from '../http/route.ts';

interface Signing {
  urlSigner: UrlSigner;
}

/** Presents the initial answer, which has only these fields. */
export function presentAcceptedVideo({ id, status }: VideoJob): AcceptedVideo {
  return { id, polling_url: `${API_BASE}/videos/${id}`, status };
}

/** Presents a job at `nowMs`, with new signed URLs while its outputs are kept. */
export function presentVideo(job: VideoJob, api: Api<Signing>, nowMs: number): Video {
  const { status, generationId, error, costNanos, isByok, report, billingFlag } = job;
  return {
    ...presentAcceptedVideo(job),
    ...presentState(job),
    generation_id: isTerminal(status) ? generationId : undefined,
    error,
    ...presentOutputs(job, api, nowMs),
    usage:
      status === 'completed' || costNanos !== undefined
        ? {
            cost: costNanos === undefined ? null : isByok ? 0 : nanosToUsd(costNanos),
            is_byok: isByok,
            ...meteredUsageOf(report, billingFlag),
          }
        : undefined,
  };
}

function presentState({
  status,
  model,
  createdAt,
  submittedAt,
  progressPercent,
  waiting,
  deadlineAt,
  cancelRequestedAt,
  webhook,
}: VideoJob) {
  return {
    model,
    created_at: createdAt.toISOString(),
    started_at: submittedAt?.toISOString() ?? null,
    progress: status === 'completed' ? 100 : (progressPercent ?? null),
    waiting:
      waiting === undefined
        ? null
        : {
            reason: waiting.reason,
            since: waiting.since.toISOString(),
            next_try_at: waiting.nextTryAt?.toISOString() ?? null,
          },
    deadline_at: deadlineAt.toISOString(),
    cancel_requested_at: cancelRequestedAt?.toISOString() ?? null,
    webhook:
      webhook === undefined
        ? null
        : {
            state: webhook.state,
            attempts: webhook.attempts,
            last_status: webhook.lastStatus,
            last_outcome: webhook.lastOutcome,
            last_reason: webhook.lastReason,
          },
  };
}

/** Returns the seconds until the caller's next poll of an open job, equal to the worker's own poll interval. */
export function pollAfterSeconds(
  { status, submittedAt, createdAt }: VideoJob,
  bounds: PollBounds,
  nowMs: number,
): number | undefined {
  if (isTerminal(status)) return undefined;
  return Math.ceil(pollDelayMs(bounds, nowMs - (submittedAt ?? createdAt).getTime()) / 1000);
}

/** Presents the outputs of a job. After their expiry there are none, even if files still exist. */
function presentOutputs(
  { id, status, outputs, outputsExpireAt }: VideoJob,
  { services, settings }: Api<Signing>,
  nowMs: number,
): Pick<Video, 'unsigned_urls' | 'urls' | 'urls_expire_at' | 'expires_at'> {
  const expiresAtMs = outputsExpireAt?.getTime() ?? 0;
  if (status !== 'completed' || outputs.length === 0 || expiresAtMs <= nowMs) return {};
  const signedUntilSeconds = Math.floor(Math.min(nowMs + settings.signedUrlMs, expiresAtMs) / 1000);
  const origin = settings.publicUrl;
  return {
    unsigned_urls: outputs.map(({ index }) => `${origin}${API_BASE}/videos/${id}/content?index=${index}`),
    urls: outputs.map(({ index }) => {
      const path = outputPath(id, index);
      return `${origin}${path}?${services.urlSigner.sign(path, signedUntilSeconds)}`;
    }),
    urls_expire_at: signedUntilSeconds,
    expires_at: Math.floor(expiresAtMs / 1000),
  };
}

/** Returns the path that a signature covers. */
export function outputPath(jobId: string, index: number): string {
  return `${API_BASE}/videos/${jobId}/outputs/${index}`;
}

/**
 * Presents a video model. Sizes are those of all endpoints, because a job is sent to an endpoint that makes its size.
 * Everything else is from the best endpoint.
 */
export function presentVideoModel(model: VideoModel): VideoModelRecord {
  const best = model.endpoints[0];
  if (best === undefined) throw new TypeError(`model ${model.id} has no endpoint`);
  const { capabilities, pricingSkus } = best;
  const pixels = model.endpoints.map((endpoint) => videoPixels(endpoint.capabilities));
  const sizes = new Set(pixels.flatMap((rule) => rule.sizes ?? []));
  return {
    id: model.id,
    canonical_slug: model.canonicalSlug,
    name: model.name,
    created: Math.floor(model.createdAt.getTime() / 1000),
    description: model.description ?? undefined,
    hugging_face_id: model.huggingFaceId,
    supported_resolutions: capabilities.resolutions,
    supported_aspect_ratios: capabilities.aspectRatios,
    supported_durations: capabilities.durations,
    supported_sizes: sizes.size === 0 ? null : [...sizes],
    size_rule: pixels.map(({ sizeDescription }) => sizeDescription).reduce(eitherSizeRule),
    supported_frame_images: capabilities.frameImages,
    generate_audio: capabilities.generateAudio,
    seed: capabilities.seed,
    creativity: capabilities.creativity,
    upscale_factor: capabilities.upscaleFactor,
    allowed_passthrough_parameters: capabilities.passthroughParameters,
    pricing_skus: pricingSkus,
  };
}
