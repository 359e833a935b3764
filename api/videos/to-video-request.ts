/** Converts the body of `POST /videos` to a video request. */
import type { VideoRequestBody } from '../../contract/videos/video-request.ts';
import { normalizeMediaUrl } from '../../domain/live/media-url.ts';
import type { VideoRequest } from '../../domain/videos/video-request.ts';
import { parseSize } from '../../domain/pixel-size.ts';
import { withoutUndefined } from '../http/request/without-undefined.ts';

/**
 * Converts the body to a request. Null counts as absent, and so does empty text. The body's session takes precedence.
 */
export function toVideoRequest(body: VideoRequestBody, sessionHeader: string | undefined): VideoRequest {
  return withoutUndefined({
    model: body.model,
    prompt: body.prompt || undefined,
    durationSeconds: body.duration ?? undefined,
    aspectRatio: body.aspect_ratio ?? undefined,
    resolution: body.resolution ?? undefined,
    size: body.size ? parseSize(body.size) : undefined,
    seed: body.seed ?? undefined,
    generateAudio: body.generate_audio ?? undefined,
    frameImages: body.frame_images?.map(({ image_url, frame_type }) => ({
      url: normalizeMediaUrl(image_url.url),
      frameType: frame_type,
    })),
    inputReferences: body.input_references?.map(toReference),
    previousJobId: body.previous_job_id ?? undefined,
    upscaleFactor: body.upscale_factor ?? undefined,
    creativity: body.creativity ?? undefined,
    callbackUrl: body.callback_url ?? undefined,
    sessionId: body.session_id || sessionHeader || undefined,
    user: body.user || undefined,
    trace: body.trace ?? undefined,
    passthrough: body.provider?.options ?? undefined,
  });
}

type WireReference = NonNullable<VideoRequestBody['input_references']>[number];
type Reference = NonNullable<VideoRequest['inputReferences']>[number];

function toReference(reference: WireReference): Reference {
  switch (reference.type) {
    case 'image_url':
      return { kind: 'image', url: normalizeMediaUrl(reference.image_url.url) };
    case 'audio_url':
      return { kind: 'audio', url: normalizeMediaUrl(reference.audio_url.url) };
    case 'video_url':
      return { kind: 'video', url: normalizeMediaUrl(reference.video_url.url) };
  }
}
