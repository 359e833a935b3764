/** Checks video requests for what several vendors lack, before anything is sent. */
import { checkImageDataUrl } from './reference-media.ts';
import { unsupported, type VideoSubmitRequest } from './video-adapter.ts';

/** Throws ProviderError for fields that no vendor of models takes, and for pixels without names. */
export function rejectUnsupportedFields(request: VideoSubmitRequest): void {
  if (request.creativity !== undefined) throw unsupported('creativity');
  if (request.upscaleFactor !== undefined) throw unsupported('an upscale factor');
  const isNamed = request.resolution !== undefined || request.aspectRatio !== undefined;
  if (request.size !== undefined && !isNamed) throw unsupported('an exact size');
}

export function rejectContinuation({ previousOperation }: VideoSubmitRequest): void {
  if (previousOperation !== undefined) throw unsupported('a continuation');
}

/** Throws ProviderError for frames beside references, and for a last frame without a first one. */
export function rejectMixedPictures({ frameImages = [], inputReferences = [] }: VideoSubmitRequest): void {
  if (frameImages.length > 0 && inputReferences.length > 0) throw unsupported('frames beside references');
  const hasFirst = frameImages.some(({ frameType }) => frameType === 'first_frame');
  if (frameImages.length > 0 && !hasFirst) throw unsupported('a last frame alone');
}

export function rejectOtherReferences({ inputReferences = [] }: VideoSubmitRequest): void {
  if (inputReferences.some(({ kind }) => kind !== 'image'))
    throw unsupported('references other than pictures');
}

/** Returns the first frame, the last frame and the references, with their fields in the request. */
export function picturesOf({ frameImages = [], inputReferences = [] }: VideoSubmitRequest) {
  const fieldOf = (list: string, at: number) => `${list}.${at}.image_url.url`;
  const frames = frameImages.map((each, at) => ({
    ...each,
    kind: 'image',
    field: fieldOf('frame_images', at),
  }));
  const references = inputReferences.map((each, at) => ({ ...each, field: fieldOf('input_references', at) }));
  const first = frames.filter(({ frameType }) => frameType === 'first_frame');
  const last = frames.filter(({ frameType }) => frameType === 'last_frame');
  return [...first, ...last, ...references];
}

/** Checks pictures in data URLs that are sent on unchanged: a broken one would fail later, at a cost. */
export function checkDataUrls(request: VideoSubmitRequest): void {
  for (const { kind, url, field } of picturesOf(request))
    if (kind === 'image' && url.startsWith('data:')) checkImageDataUrl(url, field);
}

/**
 * Returns the address for callbacks if the vendor takes it: vendors require https. A test server whose base URL is http
 * may receive http.
 */
export function reachableCallback({ callbackUrl }: VideoSubmitRequest, baseUrl: string): string | undefined {
  const isReachable = callbackUrl?.startsWith('https:') === true || baseUrl.startsWith('http:');
  return isReachable ? callbackUrl : undefined;
}
