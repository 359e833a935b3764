/** Translates video requests to an interaction with an Omni model, or to a prediction of a Veo model. */
import { withoutUndefined } from '../../../domain/fields.ts';
import type { CallContext } from '../../call-context.ts';
import type { OutboundFetch } from '../../reference-media.ts';
import { unsupported, type VideoSubmitRequest } from '../../video-adapter.ts';
import {
  picturesOf,
  rejectContinuation,
  rejectMixedPictures,
  rejectOtherReferences,
  rejectUnsupportedFields,
} from '../../video-requests.ts';
import { readPictures } from '../pictures.ts';
import { operationSchema } from './schemas.ts';

/** The longest video of an Omni model that ends in a given frame. */
const MAX_SECONDS_TO_LAST_FRAME = 10;

/** Wraps the shape of a video, which Google's two APIs take in different ways. */
export type InteractionForm = (format: Record<string, string | undefined>) => object;

/**
 * Builds the body of an interaction. Vendor options come first, so they cannot replace the priced fields. Throws
 * ProviderError before anything is sent.
 */
export async function createInteraction(
  request: VideoSubmitRequest,
  toFormat: InteractionForm,
  outbound: OutboundFetch,
  context: CallContext,
): Promise<Record<string, unknown>> {
  const { previousOperation, prompt, callbackUrl, frameImages = [], durationSeconds = 0 } = request;
  rejectForGoogle(request);
  if (request.seed !== undefined) throw unsupported('a seed');
  if (request.generateAudio === false) throw unsupported('a video without sound');
  if (frameImages.length > 1 && durationSeconds > MAX_SECONDS_TO_LAST_FRAME)
    throw unsupported(`a last frame after more than ${MAX_SECONDS_TO_LAST_FRAME} seconds`);
  const read = await readPictures(picturesOf(request), outbound, context);
  const images = read.map(({ mediaType, base64 }) => ({ type: 'image', mime_type: mediaType, data: base64 }));
  const text = prompt === undefined ? [] : [{ type: 'text', text: prompt }];
  const body = {
    model: request.upstreamModel,
    input: [{ type: 'user_input', content: [...images, ...text] }],
    background: true,
    previous_interaction_id: previousOperation && operationSchema.parse(previousOperation).id,
    response_format: toFormat(withoutUndefined(shapeOf(request))),
    generation_config: { video_config: { task: taskOf(request) } },
    webhook_config: callbackUrl === undefined ? undefined : { uris: [callbackUrl] },
  };
  return { ...request.passthrough, ...withoutUndefined(body) };
}

/** Returns the shape of a video. One that is edited keeps its own, and the API refuses these fields. */
function shapeOf(request: VideoSubmitRequest): Record<string, string | undefined> {
  if (request.previousOperation !== undefined) return {};
  const { aspectRatio, resolution, durationSeconds } = request;
  return {
    aspect_ratio: aspectRatio,
    resolution: resolution?.toLowerCase(),
    duration: durationSeconds === undefined ? undefined : `${durationSeconds}s`,
  };
}

/** In `image_to_video`, the first picture is the first frame, and a second one is the last frame. */
function taskOf({ previousOperation, frameImages = [], inputReferences = [] }: VideoSubmitRequest): string {
  if (previousOperation !== undefined) return 'edit';
  if (frameImages.length > 0) return 'image_to_video';
  return inputReferences.length > 0 ? 'reference_to_video' : 'text_to_video';
}

/**
 * Builds the body of `predictLongRunning`. Vendor options are parameters; they come first, so they cannot replace the
 * priced ones. Pictures are sent in base64, because Veo takes no other addresses than those of its own buckets.
 */
export async function createPrediction(
  request: VideoSubmitRequest,
  outbound: OutboundFetch,
  context: CallContext,
): Promise<Record<string, unknown>> {
  const { frameImages = [], prompt, passthrough } = request;
  rejectForGoogle(request);
  rejectContinuation(request);
  const read = await readPictures(picturesOf(request), outbound, context);
  const pictures = read.map(({ mediaType, base64 }) => ({ bytesBase64Encoded: base64, mimeType: mediaType }));
  const [image, lastFrame] = frameImages.length > 0 ? pictures : [];
  const references = pictures.map((picture) => ({ image: picture, referenceType: 'asset' }));
  const referenceImages = frameImages.length > 0 || references.length === 0 ? undefined : references;
  const parameters = {
    sampleCount: 1,
    durationSeconds: request.durationSeconds,
    aspectRatio: request.aspectRatio,
    resolution: request.resolution?.toLowerCase(),
    seed: request.seed,
    generateAudio: request.generateAudio,
  };
  return {
    instances: [withoutUndefined({ prompt, image, lastFrame, referenceImages })],
    parameters: { ...passthrough, ...withoutUndefined(parameters) },
  };
}

/** Throws ProviderError for what no video model of Google takes. */
function rejectForGoogle(request: VideoSubmitRequest): void {
  rejectUnsupportedFields(request);
  rejectMixedPictures(request);
  rejectOtherReferences(request);
  const kinds = (request.frameImages ?? []).map(({ frameType }) => frameType);
  if (new Set(kinds).size < kinds.length) throw unsupported('two frames of a kind');
}
