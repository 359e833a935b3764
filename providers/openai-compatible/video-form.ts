import { ProviderError } from '../../domain/provider-error.ts';
import type { CallContext } from '../call-context.ts';
import type { VideoSubmitRequest } from '../video-adapter.ts';
import { loadReferenceImage, type OutboundFetch } from '../reference-media.ts';

/** What a server of this wire takes beyond the documented fields. */
export interface VideoFields {
  /** The upload field for a last frame. */
  lastFrame?: string;
  /** Remixes may have their own duration. */
  remixSeconds?: true;
}

/**
 * The create request as a form, which all servers of this wire take (some take no JSON): `model`, `prompt`,
 * `seconds`, `size`, `input_reference`, and `seed`, which most image-model servers understand. Vendor options
 * go first, so that they cannot replace what the job was priced by.
 * Throws ProviderError `invalid_request` for what the wire cannot say; nothing has been sent by then.
 */
export async function createVideoForm(
  request: VideoSubmitRequest,
  fields: VideoFields,
  outbound: OutboundFetch,
  context: CallContext,
): Promise<FormData> {
  refuseUnsayable(request);
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

/** The remix request: the documented wire takes a prompt and nothing else. */
export function createRemixBody(request: VideoSubmitRequest, fields: VideoFields): Record<string, unknown> {
  refuseUnsayable(request);
  if (request.prompt === undefined) throw unsayable('a continuation without a prompt');
  if (imageFields(request, fields).length > 0) throw unsayable('images in a continuation');
  return {
    ...request.passthrough,
    prompt: request.prompt,
    ...(fields.remixSeconds && request.durationSeconds !== undefined
      ? { seconds: `${request.durationSeconds}` }
      : {}),
  };
}

/** The images by the field they are uploaded in. Audio and video references are ignored, as the API says. */
function imageFields(request: VideoSubmitRequest, fields: VideoFields): [field: string, url: string][] {
  const frames = request.frameImages ?? [];
  const lastFrame = frames.find(({ frameType }) => frameType === 'last_frame');
  const opening = [
    ...frames.filter(({ frameType }) => frameType === 'first_frame'),
    ...(request.inputReferences ?? []).filter(({ kind }) => kind === 'image'),
  ];
  const [first, second] = opening;
  if (second !== undefined) throw unsayable('more than one first frame or reference image');
  if (lastFrame !== undefined && fields.lastFrame === undefined) throw unsayable('a last frame');
  return [
    ...(first === undefined ? [] : [['input_reference', first.url] as [string, string]]),
    ...(lastFrame === undefined || fields.lastFrame === undefined
      ? []
      : [[fields.lastFrame, lastFrame.url] as [string, string]]),
  ];
}

function refuseUnsayable(request: VideoSubmitRequest): void {
  if (request.generateAudio === true) throw unsayable('audio');
  if (request.creativity !== undefined) throw unsayable('creativity');
  if (request.upscaleFactor !== undefined) throw unsayable('an upscale factor');
  const named = request.resolution ?? request.aspectRatio;
  if (named !== undefined && request.size === undefined) throw unsayable(`${named} without an exact size`);
}

function unsayable(what: string): ProviderError {
  return new ProviderError({
    code: 'invalid_request',
    sent: false,
    retryable: false,
    publicMessage: `This provider does not take ${what}`,
  });
}

/** Lists and objects are sent as JSON, the way vLLM-Omni documents it. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
