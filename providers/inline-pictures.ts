import { normalizeMediaUrl } from '../domain/live/media-url.ts';
import type { CallContext } from './call-context.ts';
import { fetchReferences, type GivenReference } from './fetch-references.ts';
import { checkImageDataUrl, loadReferenceImage, type OutboundFetch } from './reference-media.ts';

/**
 * Returns pictures as data URLs, in order. URLs are fetched through the guard, so that customers cannot make a vendor
 * or the operator's servers send requests for them. Throws ProviderError, which names the field. It runs before the
 * upstream is called.
 */
export async function inlinePictures(
  pictures: readonly GivenReference[],
  outbound: OutboundFetch,
  context: CallContext,
): Promise<string[]> {
  const inlined = pictures.map(({ url }) => normalizeMediaUrl(url));
  const remote = [...pictures.entries()].filter(([at]) => !inlined[at]!.startsWith('data:'));
  const loaded = await fetchReferences(
    remote.map(([, picture]) => picture),
    'pictures',
    (url, within) => loadReferenceImage(url, outbound, within),
    context,
  );
  for (const [i, { bytes, contentType }] of loaded.entries()) {
    const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
    inlined[remote[i]![0]] = `data:${contentType};base64,${base64}`;
  }
  return inlined;
}

/**
 * Returns the `input_references` of an image request as data URLs, like `inlinePictures`. Data URLs of the caller are
 * checked first, because they are sent on unchanged.
 */
export async function inlineReferences(
  references: readonly string[],
  outbound: OutboundFetch,
  context: CallContext,
): Promise<string[]> {
  const pictures = references.map((url, at) => ({ url, field: `input_references.${at}.image_url.url` }));
  for (const { url, field } of pictures) if (url.startsWith('data:')) checkImageDataUrl(url, field);
  return inlinePictures(pictures, outbound, context);
}
