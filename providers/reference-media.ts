/** Loads and checks the pictures and clips that requests refer to. */
import { HOPS_HEADER } from '../domain/hops.ts';
import { registeredType } from '../domain/live/media-url.ts';
import { brokenRule, ProviderError } from '../domain/provider-error.ts';
import { OutboundResponseTooLargeError, OutboundBlockedError } from '../platform/outbound-error.ts';
import type { OutboundGuard } from '../platform/outbound-guard.ts';
import type { CallContext } from './call-context.ts';

/** The guard's `fetch`, which the gateway uses for every URL of a customer or a vendor. */
export type OutboundFetch = Pick<OutboundGuard, 'fetch'>;

/** The kind of reference media, as messages name it. */
type ReferenceKind = 'image' | 'clip';

export interface LoadedReference {
  bytes: Uint8Array<ArrayBuffer>;
  /** The type in lower case, without parameters; empty if the host sends none. */
  contentType: string;
}

export interface ReferenceImage extends LoadedReference {
  /** The name for the upload; vendors use its extension. */
  fileName: string;
}

const EXTENSIONS: Record<string, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/jpg': 'jpg',
  'image/webp': 'webp',
};
const MAX_BYTES = 20 * 1024 ** 2;
const TIMEOUT_MS = 20_000;
/** The part of a data URL that tells whether it has any bytes. */
const HEAD_CHARACTERS = 1_000;

const NO_PICTURE = 'must be a PNG, JPEG or WebP image';
const TOO_LARGE = `must not be larger than ${MAX_BYTES / 1024 ** 2} MiB`;

/**
 * Loads the image behind a data URL or an http(s) URL. It runs before the submission, so every failure is certain:
 * `invalid_request`, or `not_connected` if a retry may help.
 */
export async function loadReferenceImage(
  url: string,
  outbound: OutboundFetch,
  context: CallContext,
): Promise<ReferenceImage> {
  const { bytes, contentType } = url.startsWith('data:')
    ? readDataUrl(url)
    : await downloadReference(url, 'image', outbound, context);
  const extension = extensionOf(contentType);
  return { bytes, contentType: registeredType(contentType), fileName: `reference.${extension}` };
}

/**
 * Checks a data URL that is sent on unchanged, without decoding all of it. Throws the errors of `loadReferenceImage`.
 * `field` is its field in the request.
 */
export function checkImageDataUrl(url: string, field: string): void {
  const { contentType, start } = readHead(url);
  const bytes = Math.floor(((url.length - start) * 3) / 4);
  if (EXTENSIONS[contentType] === undefined) throw refusedReference('image', NO_PICTURE, field);
  const isEmpty = Buffer.from(url.slice(start, start + HEAD_CHARACTERS), 'base64').length === 0;
  if (isEmpty) throw refusedReference('image', 'is empty', field);
  if (bytes > MAX_BYTES) throw refusedReference('image', TOO_LARGE, field);
}

/** Downloads the file behind an http(s) URL, of any type. */
export async function downloadReference(
  url: string,
  kind: ReferenceKind,
  outbound: OutboundFetch,
  { signal, hops }: CallContext,
): Promise<LoadedReference> {
  try {
    const headers = hops === undefined ? {} : { [HOPS_HEADER]: hops };
    const limits = { timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_BYTES };
    const answer = await outbound.fetch(url, { signal, headers, ...limits });
    const chunks: Buffer[] = [];
    if (answer.status !== 200) {
      answer.body.destroy();
      throw refusedReference(kind, `could not be fetched: its host answered ${answer.status}`);
    }
    for await (const chunk of answer.body as AsyncIterable<Buffer>) chunks.push(chunk);
    const bytes = new Uint8Array(Buffer.concat(chunks));
    if (bytes.length === 0) throw refusedReference(kind, 'is empty');
    const [contentType = ''] = (answer.headers['content-type'] ?? '').split(';');
    return { bytes, contentType: contentType.trim().toLowerCase() };
  } catch (error) {
    throw downloadFailure(kind, error, signal);
  }
}

/** Returns the error for a reference. `field` is its field in the request, if known. */
export function refusedReference(kind: ReferenceKind, rule: string, field?: string): ProviderError {
  const path = field === undefined ? 'body' : `body.${field}`;
  return brokenRule({ path, message: rule }, `A reference ${kind} ${rule}`);
}

function extensionOf(contentType: string): string {
  const extension = EXTENSIONS[contentType];
  if (extension === undefined) throw refusedReference('image', NO_PICTURE);
  return extension;
}

/** Returns the type of a data URL, and the start of its base64. */
function readHead(url: string): { contentType: string; start: number } {
  const match = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[\w.+-]+)*;base64,/i.exec(url);
  if (match?.[1] === undefined) throw refusedReference('image', 'must be a base64 data URL or an https URL');
  return { contentType: match[1].toLowerCase(), start: match[0].length };
}

function readDataUrl(url: string): LoadedReference {
  const { contentType, start } = readHead(url);
  const bytes = new Uint8Array(Buffer.from(url.slice(start), 'base64'));
  if (bytes.length === 0) throw refusedReference('image', 'is empty');
  if (bytes.length > MAX_BYTES) throw tooLarge('image');
  return { bytes, contentType };
}

function downloadFailure(kind: ReferenceKind, error: unknown, signal: AbortSignal): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof OutboundResponseTooLargeError) return tooLarge(kind);
  if (error instanceof OutboundBlockedError)
    return refusedReference(kind, 'must have an address that is allowed');
  return new ProviderError({
    code: 'not_connected',
    sent: false,
    retryable: !signal.aborted,
    publicMessage: `A reference ${kind} could not be fetched`,
    cause: error,
  });
}

function tooLarge(kind: ReferenceKind): ProviderError {
  return refusedReference(kind, TOO_LARGE);
}
