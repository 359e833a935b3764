/** Builds the bodies that create and remix videos on OpenAI's wire. */
import type { CallContext } from '../call-context.ts';
import { unsupported, type VideoSubmitRequest } from '../video-adapter.ts';
import { loadReferenceImage, type OutboundFetch } from '../reference-media.ts';

/** The fields that a server supports beyond the documented ones. */
export interface VideoFields {
  /** The upload field for a last frame. */
  lastFrame?: string;
  /** True: remixes may have their own duration. */
  remixSeconds?: true;
}

/**
 * Builds the create request as a form, since some servers of this wire take no JSON. Its fields are `model`, `prompt`,
 * `seconds`, `size`, `input_reference`, and `seed`, which most servers of image models support. Vendor options come
 * first, so they cannot replace the priced fields. Throws ProviderError `invalid_request`, before anything is sent, for
 * fields that the wire lacks.
 */
export async function createVideoForm(
  request: VideoSubmitRequest,
  fields: VideoFields,
  outbound: OutboundFetch,
  context: CallContext,
): Promise<FormData> {
  rejectUnsupportedFields(request);
  const form = new FormData();
  for (const [name, value] of Object.entries(request.passthrough ?? {})) {
    if (value !== null && value !== undefined) form.set(name, asText(value));
  }
  form.set('model', request.upstreamModel);
  if (request.prompt !== undefined) form.set('prompt', request.prompt);
  if (request.durationSeconds !== undefined) form.set('seconds', `${request.durationSeconds}`);
  if (request.size !== undefined) form.set('size', `${request.size.width}x${request.size.height}`);
  if (request.seed !== undefined) form.set('seed', `${request.seed}`);
  for (const [field, url] of imageFields(request, fields)) {
    const image = await loadReferenceImage(url, outbound, context);
    form.set(field, new File([image.bytes], image.fileName, { type: image.contentType }));
  }
  return form;
}

/** Builds the remix request: the documented wire takes a prompt only. */
export function createRemixBody(request: VideoSubmitRequest, fields: VideoFields): Record<string, unknown> {
  rejectUnsupportedFields(request);
  if (request.prompt === undefined) throw unsupported('a continuation without a prompt');
  if (imageFields(request, fields).length > 0) throw unsupported('images in a continuation');
  return {
    ...request.passthrough,
    prompt: request.prompt,
    ...(fields.remixSeconds && request.durationSeconds !== undefined
      ? { seconds: `${request.durationSeconds}` }
      : {}),
  };
}

/** Returns the images with their upload fields. Audio and video references are ignored, as documented. */
function imageFields(request: VideoSubmitRequest, fields: VideoFields): [field: string, url: string][] {
  const frames = request.frameImages ?? [];
  const lastFrame = frames.find(({ frameType }) => frameType === 'last_frame');
  const opening = [
    ...frames.filter(({ frameType }) => frameType === 'first_frame'),
    ...(request.inputReferences ?? []).filter(({ kind }) => kind === 'image'),
  ];
  const [first, second] = opening;
  if (second !== undefined) throw unsupported('more than one first frame or reference image');
  if (lastFrame !== undefined && fields.lastFrame === undefined) throw unsupported('a last frame');
  return [
    ...(first === undefined ? [] : [['input_reference', first.url] as [string, string]]),
    ...(lastFrame === undefined || fields.lastFrame === undefined
      ? []
      : [[fields.lastFrame, lastFrame.url] as [string, string]]),
  ];
}

function rejectUnsupportedFields(request: VideoSubmitRequest): void {
  if (request.generateAudio === true) throw unsupported('audio');
  if (request.creativity !== undefined) throw unsupported('creativity');
  if (request.upscaleFactor !== undefined) throw unsupported('an upscale factor');
  const named = request.resolution ?? request.aspectRatio;
  if (named !== undefined && request.size === undefined) throw unsupported(`${named} without an exact size`);
}

/** Converts a value to text. Lists and objects become JSON, as vLLM-Omni documents. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
