/** Prepares the voice clips of a speech request for a vendor. */
import { normalizeMediaUrl } from '../domain/live/media-url.ts';
import type { CallContext } from './call-context.ts';
import { fetchReferences } from './fetch-references.ts';
import {
  downloadReference,
  type LoadedReference,
  type OutboundFetch,
  refusedReference,
} from './reference-media.ts';

/** A recording in the form that vendors take. */
export interface ReferenceClip {
  base64: string;
  /** A format such as `wav`; undefined if unknown. */
  format: string | undefined;
}

const FORMATS: Record<string, string> = {
  'audio/wav': 'wav',
  'audio/wave': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/mp4': 'm4a',
  'audio/x-m4a': 'm4a',
  'audio/ogg': 'ogg',
  'audio/webm': 'webm',
  'audio/flac': 'flac',
  'audio/aac': 'aac',
};
const DATA_URL_HEAD = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[\w.+-]+)*;base64,/;

const FIELD = 'input_references';

/**
 * Returns clips given as base64, data URLs or URLs, in order. Base64 is passed on without decoding it; URLs are fetched
 * through the guard. Throws ProviderError, which names the field. It runs before the upstream is called.
 */
export async function inlineClips(
  given: readonly string[],
  outbound: OutboundFetch,
  context: CallContext,
): Promise<ReferenceClip[]> {
  const normalized = given.map(normalizeMediaUrl);
  const remote = normalized.filter(isRemote).map((url) => ({ url, field: FIELD }));
  const load = (url: string, within: CallContext) => downloadClip(url, outbound, within);
  const loaded = (await fetchReferences(remote, 'clips', load, context)).values();
  return normalized.map((data) => {
    if (isRemote(data)) return clipOf(loaded.next().value!);
    return data.startsWith('data:') ? readDataUrl(data) : { base64: data, format: undefined };
  });
}

function isRemote(data: string): boolean {
  return /^https?:/i.test(data);
}

/** Downloads a clip, which must have a known audio type. */
async function downloadClip(url: string, outbound: OutboundFetch, context: CallContext) {
  const loaded = await downloadReference(url, 'clip', outbound, context);
  formatOf(loaded.contentType);
  return loaded;
}

function clipOf({ bytes, contentType }: LoadedReference): ReferenceClip {
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return { base64, format: formatOf(contentType) };
}

function readDataUrl(url: string): ReferenceClip {
  const match = DATA_URL_HEAD.exec(url);
  if (match?.[1] === undefined)
    throw refusedReference('clip', 'must be base64, a base64 data URL or a URL', FIELD);
  return { base64: url.slice(match[0].length), format: formatOf(match[1], FIELD) };
}

function formatOf(contentType: string, field?: string): string {
  const format = FORMATS[contentType];
  if (format === undefined) {
    throw refusedReference('clip', `must be ${[...new Set(Object.values(FORMATS))].join(', ')}`, field);
  }
  return format;
}
