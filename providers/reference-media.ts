import { ProviderError } from '../domain/provider-error.ts';
import { OutboundResponseTooLargeError, OutboundBlockedError } from '../platform/outbound-error.ts';
import type { OutboundGuard } from '../platform/outbound-guard.ts';
import type { CallContext } from './call-context.ts';

/** The guard's door, which every URL that a customer or a vendor names goes through. */
export type OutboundFetch = Pick<OutboundGuard, 'fetch'>;

export interface ReferenceImage {
  bytes: Uint8Array<ArrayBuffer>;
  contentType: string;
  /** For the upload; vendors go by its extension. */
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

/**
 * The image behind a data URL or an http(s) URL. All of it happens before anything is submitted, so every
 * failure here is certain: `invalid_request`, or `not_connected` where trying again may help.
 */
export async function loadReferenceImage(
  url: string,
  outbound: OutboundFetch,
  context: CallContext,
): Promise<ReferenceImage> {
  const { bytes, contentType } = url.startsWith('data:')
    ? readDataUrl(url)
    : await download(url, outbound, context);
  const extension = EXTENSIONS[contentType];
  if (extension === undefined) throw refused('must be a PNG, JPEG or WebP image');
  // `image/jpg` is no registered type, but common; vendors expect the registered one.
  const registered = contentType === 'image/jpg' ? 'image/jpeg' : contentType;
  return { bytes, contentType: registered, fileName: `reference.${extension}` };
}

type Loaded = Pick<ReferenceImage, 'bytes' | 'contentType'>;

function readDataUrl(url: string): Loaded {
  const match = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[\w.+-]+)*;base64,/.exec(url);
  if (match?.[1] === undefined) throw refused('must be a base64 data URL or an https URL');
  const bytes = new Uint8Array(Buffer.from(url.slice(match[0].length), 'base64'));
  if (bytes.length === 0) throw refused('is empty');
  if (bytes.length > MAX_BYTES) throw tooLarge();
  return { bytes, contentType: match[1].toLowerCase() };
}

async function download(url: string, outbound: OutboundFetch, { signal }: CallContext): Promise<Loaded> {
  try {
    const answer = await outbound.fetch(url, { signal, timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_BYTES });
    const chunks: Buffer[] = [];
    if (answer.status !== 200) {
      answer.body.destroy();
      throw refused(`could not be fetched: its host answered ${answer.status}`);
    }
    for await (const chunk of answer.body as AsyncIterable<Buffer>) chunks.push(chunk);
    const [contentType = ''] = (answer.headers['content-type'] ?? '').split(';');
    return { bytes: new Uint8Array(Buffer.concat(chunks)), contentType: contentType.trim().toLowerCase() };
  } catch (error) {
    throw downloadFailure(error, signal);
  }
}

function downloadFailure(error: unknown, signal: AbortSignal): ProviderError {
  if (error instanceof ProviderError) return error;
  if (error instanceof OutboundResponseTooLargeError) return tooLarge();
  if (error instanceof OutboundBlockedError) return refused('must have an address that is allowed');
  return new ProviderError({
    code: 'not_connected',
    retryable: !signal.aborted,
    publicMessage: 'A reference image could not be fetched',
    cause: error,
  });
}

function tooLarge(): ProviderError {
  return refused(`must not be larger than ${MAX_BYTES / 1024 ** 2} MiB`);
}

function refused(rule: string): ProviderError {
  return new ProviderError({
    code: 'invalid_request',
    retryable: false,
    publicMessage: `A reference image ${rule}`,
  });
}
