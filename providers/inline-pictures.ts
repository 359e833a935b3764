import { spellMediaUrl } from '../domain/live/media-url.ts';
import type { CallContext } from './call-context.ts';
import { fetchReferences, type GivenReference } from './fetch-references.ts';
import { loadReferenceImage, type OutboundFetch } from './reference-media.ts';

/**
 * Pictures as data URLs, in their order: those that are elsewhere are fetched through the guard, so that no vendor and
 * no server of the operator is sent where a customer wants it. Throws ProviderError, which names the field, always before
 * anything is asked.
 */
export async function inlinePictures(
  pictures: readonly GivenReference[],
  outbound: OutboundFetch,
  context: CallContext,
): Promise<string[]> {
  const inlined = pictures.map(({ url }) => spellMediaUrl(url));
  const elsewhere = [...pictures.entries()].filter(([at]) => !inlined[at]!.startsWith('data:'));
  const loaded = await fetchReferences(
    elsewhere.map(([, picture]) => picture),
    'pictures',
    (url, within) => loadReferenceImage(url, outbound, within),
    context,
  );
  for (const [i, { bytes, contentType }] of loaded.entries()) {
    const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
    inlined[elsewhere[i]![0]] = `data:${contentType};base64,${base64}`;
  }
  return inlined;
}
