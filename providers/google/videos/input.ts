/** Translates a video request to an interaction with an Omni model. */
import { withoutUndefined } from '../../../domain/fields.ts';
import type { CallContext } from '../../call-context.ts';
import { parseDataUrl } from '../../data-url.ts';
import type { GivenReference } from '../../fetch-references.ts';
import { inlinePictures } from '../../inline-pictures.ts';
import { checkImageDataUrl, type OutboundFetch } from '../../reference-media.ts';
import { unsupported, type VideoSubmitRequest } from '../../video-adapter.ts';
import { operationSchema } from './schemas.ts';

/** The longest video that ends in a given frame. */
const MAX_SECONDS_TO_LAST_FRAME = 10;

/**
 * Builds the body of an interaction. Vendor options come first, so they cannot replace the priced fields. Pictures are
 * sent in base64; those at addresses are fetched through the guard. Throws ProviderError before anything is sent.
 */
export async function createInteraction(
  request: VideoSubmitRequest,
  outbound: OutboundFetch,
  context: CallContext,
): Promise<Record<string, unknown>> {
  rejectUnsupportedFields(request);
  const { previousOperation, prompt, callbackUrl } = request;
  const pictures = await readPictures(request, outbound, context);
  const text = prompt === undefined ? [] : [{ type: 'text', text: prompt }];
  const body = {
    model: request.upstreamModel,
    input: [{ type: 'user_input', content: [...pictures, ...text] }],
    background: true,
    previous_interaction_id: previousOperation && operationSchema.parse(previousOperation).id,
    response_format: withoutUndefined({ type: 'video', delivery: 'uri', ...shapeOf(request) }),
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

async function readPictures(
  { frameImages = [], inputReferences = [] }: VideoSubmitRequest,
  outbound: OutboundFetch,
  context: CallContext,
): Promise<object[]> {
  const frames = frameImages.map(({ url, frameType }, at) => ({
    given: { url, field: `frame_images.${at}.image_url.url` },
    order: frameType === 'first_frame' ? 0 : 1,
  }));
  const inOrder = frames.toSorted((a, b) => a.order - b.order).map(({ given }) => given);
  const references = inputReferences.map(({ url }, at) => ({
    url,
    field: `input_references.${at}.image_url.url`,
  }));
  const pictures: GivenReference[] = [...inOrder, ...references];
  for (const { url, field } of pictures) if (url.startsWith('data:')) checkImageDataUrl(url, field);
  const inlined = await inlinePictures(pictures, outbound, context);
  return inlined.map((url) => {
    const picture = parseDataUrl(url);
    return { type: 'image', mime_type: picture?.mediaType, data: picture?.base64 };
  });
}

function rejectUnsupportedFields(request: VideoSubmitRequest): void {
  const { frameImages = [], inputReferences = [] } = request;
  if (request.creativity !== undefined) throw unsupported('creativity');
  if (request.upscaleFactor !== undefined) throw unsupported('an upscale factor');
  if (request.seed !== undefined) throw unsupported('a seed');
  if (request.generateAudio === false) throw unsupported('a video without sound');
  const isNamed = request.resolution !== undefined || request.aspectRatio !== undefined;
  if (request.size !== undefined && !isNamed) throw unsupported('an exact size');
  if (frameImages.length > 0 && inputReferences.length > 0) throw unsupported('frames beside references');
  if (inputReferences.some(({ kind }) => kind !== 'image'))
    throw unsupported('references other than pictures');
  const kinds = frameImages.map(({ frameType }) => frameType);
  if (kinds.length > 0 && !kinds.includes('first_frame')) throw unsupported('a last frame alone');
  if (new Set(kinds).size < kinds.length) throw unsupported('two frames of a kind');
  if (kinds.length > 1 && (request.durationSeconds ?? 0) > MAX_SECONDS_TO_LAST_FRAME)
    throw unsupported(`a last frame after more than ${MAX_SECONDS_TO_LAST_FRAME} seconds`);
}
