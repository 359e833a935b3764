import type { VideoRequestBody } from '../../../contract/video-request.ts';
import { spellMediaUrl } from '../../../domain/media-url.ts';
import type { VideoRequest } from '../../../domain/video-request.ts';
import { parseSize } from '../../../domain/pixel-size.ts';
import { withoutUndefined } from '../../request/without-undefined.ts';

/** From the wire's words to the product's. Empty text is no text; the body's session wins. */
export function toVideoRequest(body: VideoRequestBody, sessionHeader: string | undefined): VideoRequest {
  return withoutUndefined({
    model: body.model,
    prompt: body.prompt || undefined,
    durationSeconds: body.duration,
    aspectRatio: body.aspect_ratio,
    resolution: body.resolution,
    size: body.size === undefined ? undefined : parseSize(body.size),
    seed: body.seed,
    generateAudio: body.generate_audio,
    frameImages: body.frame_images?.map(({ image_url, frame_type }) => ({
      url: spellMediaUrl(image_url.url),
      frameType: frame_type,
    })),
    inputReferences: body.input_references?.map(toReference),
    previousJobId: body.previous_job_id,
    upscaleFactor: body.upscale_factor,
    creativity: body.creativity,
    callbackUrl: body.callback_url,
    sessionId: body.session_id || sessionHeader || undefined,
    user: body.user || undefined,
    trace: body.trace,
    passthrough: body.provider?.options,
  });
}

type WireReference = NonNullable<VideoRequestBody['input_references']>[number];
type Reference = NonNullable<VideoRequest['inputReferences']>[number];

function toReference(reference: WireReference): Reference {
  switch (reference.type) {
    case 'image_url':
      return { kind: 'image', url: spellMediaUrl(reference.image_url.url) };
    case 'audio_url':
      return { kind: 'audio', url: spellMediaUrl(reference.audio_url.url) };
    case 'video_url':
      return { kind: 'video', url: spellMediaUrl(reference.video_url.url) };
  }
}
