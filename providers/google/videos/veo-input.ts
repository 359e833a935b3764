/** Translates a video request to the instance and the parameters of a Veo model. */
import { withoutUndefined } from '../../../domain/fields.ts';
import type { CallContext } from '../../call-context.ts';
import { parseDataUrl } from '../../data-url.ts';
import { inlinePictures } from '../../inline-pictures.ts';
import { checkImageDataUrl, type OutboundFetch } from '../../reference-media.ts';
import { unsupported, type VideoSubmitRequest } from '../../video-adapter.ts';

/**
 * Builds the body of `predictLongRunning`. Vendor options are parameters; they come first, so they cannot replace the
 * priced ones. Pictures are sent in base64, because Veo takes no other addresses than those of its own buckets.
 */
export async function createPrediction(
  request: VideoSubmitRequest,
  outbound: OutboundFetch,
  context: CallContext,
): Promise<Record<string, unknown>> {
  rejectUnsupportedFields(request);
  const { frameImages = [], inputReferences = [], prompt } = request;
  const frameAt = (type: string): string | undefined =>
    frameImages.find(({ frameType }) => frameType === type)?.url;
  const [first, last] = await Promise.all(
    ['first_frame', 'last_frame'].map((type) => pictureAt(frameAt(type), 'frame_images', outbound, context)),
  );
  const references = await Promise.all(
    inputReferences.map(({ url }) => pictureAt(url, 'input_references', outbound, context)),
  );
  const referenceImages = references.map((image) => ({ image, referenceType: 'asset' }));
  const parameters = {
    sampleCount: 1,
    durationSeconds: request.durationSeconds,
    aspectRatio: request.aspectRatio,
    resolution: request.resolution?.toLowerCase(),
    seed: request.seed,
    generateAudio: request.generateAudio,
  };
  const instance = { prompt, image: first, lastFrame: last };
  return {
    instances: [{ ...withoutUndefined(instance), ...(referenceImages.length > 0 && { referenceImages }) }],
    parameters: { ...request.passthrough, ...withoutUndefined(parameters) },
  };
}

async function pictureAt(
  url: string | undefined,
  field: string,
  outbound: OutboundFetch,
  context: CallContext,
): Promise<object | undefined> {
  if (url === undefined) return undefined;
  if (url.startsWith('data:')) checkImageDataUrl(url, field);
  const [inlined = ''] = await inlinePictures([{ url, field }], outbound, context);
  const picture = parseDataUrl(inlined);
  return { bytesBase64Encoded: picture?.base64, mimeType: picture?.mediaType };
}

function rejectUnsupportedFields(request: VideoSubmitRequest): void {
  const { frameImages = [], inputReferences = [] } = request;
  if (request.previousOperation !== undefined) throw unsupported('a continuation');
  if (request.creativity !== undefined) throw unsupported('creativity');
  if (request.upscaleFactor !== undefined) throw unsupported('an upscale factor');
  const isNamed = request.resolution !== undefined || request.aspectRatio !== undefined;
  if (request.size !== undefined && !isNamed) throw unsupported('an exact size');
  if (frameImages.length > 0 && inputReferences.length > 0) throw unsupported('frames beside references');
  if (inputReferences.some(({ kind }) => kind !== 'image'))
    throw unsupported('references other than pictures');
  const kinds = frameImages.map(({ frameType }) => frameType);
  if (kinds.length > 0 && !kinds.includes('first_frame')) throw unsupported('a last frame alone');
}
