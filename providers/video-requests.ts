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

/** Checks pictures in data URLs that are sent on unchanged: a broken one would fail later, at a cost. */
export function checkDataUrls({ frameImages = [], inputReferences = [] }: VideoSubmitRequest): void {
  const frames = frameImages.map(({ url }, at) => ({ url, field: `frame_images.${at}.image_url.url` }));
  const references = inputReferences.map(({ kind, url }, at) => {
    return { url: kind === 'image' ? url : '', field: `input_references.${at}.image_url.url` };
  });
  for (const { url, field } of [...frames, ...references])
    if (url.startsWith('data:')) checkImageDataUrl(url, field);
}

/**
 * Returns the address for callbacks if the vendor takes it: vendors require https. A test server whose base URL is http
 * may receive http.
 */
export function reachableCallback({ callbackUrl }: VideoSubmitRequest, baseUrl: string): string | undefined {
  const isReachable = callbackUrl?.startsWith('https:') === true || baseUrl.startsWith('http:');
  return isReachable ? callbackUrl : undefined;
}
