import type { CallContext } from '../call-context.ts';
import { type DataUrl, parseDataUrl } from '../data-url.ts';
import type { GivenReference } from '../fetch-references.ts';
import { inlinePictures } from '../inline-pictures.ts';
import { checkImageDataUrl, type OutboundFetch } from '../reference-media.ts';

/**
 * Reads pictures as base64; those at addresses are fetched through the guard. Throws ProviderError, which names the
 * field, before anything is sent.
 */
export async function readPictures(
  pictures: readonly GivenReference[],
  outbound: OutboundFetch,
  context: CallContext,
): Promise<DataUrl[]> {
  for (const { url, field } of pictures) if (url.startsWith('data:')) checkImageDataUrl(url, field);
  const urls = await inlinePictures(pictures, outbound, context);
  return urls.map((url) => parseDataUrl(url) ?? { mediaType: '', base64: '' });
}
