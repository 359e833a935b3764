/** Reads the pictures for which servers send a URL in place of base64. */
import { HOPS_HEADER } from '../../domain/hops.ts';
import { registeredType } from '../../domain/live/media-url.ts';
import { CollectedBytes } from '../../platform/collected-bytes.ts';
import type { LiveCallContext } from '../call-context.ts';
import type { Base64, MadeImage } from '../image-adapter.ts';
import type { OutboundFetch } from '../reference-media.ts';
import { invalidResponse, transportFailure } from '../transport-failure.ts';

/** The largest picture that is fetched: one of 4K, with a margin. All pictures of an answer share its limit. */
const MAX_PICTURE_BYTES = 48 * 1024 ** 2;
const TIMEOUT_MS = 60_000;
/** The limit for all results behind a vendor's URL (docs/design.md, Safety). */
const MAX_REDIRECTS = 3;

const TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml']);

/** Matches the beginning of a data URL with base64. */
const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[\w.+-]*)*;base64,/i;
const MAX_BEGINNING_LENGTH = 200;

/** Returns the base64 of a data URL without copying it, and its type. Returns another value as it is. */
export function outOfDataUrl(value: Base64): { b64Json: Base64; contentType?: string } {
  const isText = typeof value === 'string';
  const beginning = isText
    ? value.slice(0, MAX_BEGINNING_LENGTH)
    : value.toString('latin1', 0, MAX_BEGINNING_LENGTH);
  const [prefix, contentType] = DATA_URL.exec(beginning) ?? [];
  if (prefix === undefined || contentType === undefined) return { b64Json: value };
  return { b64Json: isText ? value.slice(prefix.length) : value.subarray(prefix.length), contentType };
}

/** Returns the type of a picture, if the gateway knows it and it differs from the requested one. */
export function otherMediaType(contentType: string, requestedType: string): Pick<MadeImage, 'mediaType'> {
  const mediaType = registeredType(contentType);
  return mediaType !== requestedType && TYPES.has(mediaType) ? { mediaType } : {};
}

/**
 * Returns the picture behind a data URL or an http(s) URL of a vendor's answer. URLs are fetched through the guard,
 * without the vendor's credential. Fails with ProviderError `invalid_response` if there is no picture.
 */
export async function pictureAt(
  url: string,
  requestedType: string,
  outbound: OutboundFetch,
  { signal, hops, answer: allowance }: LiveCallContext,
): Promise<MadeImage> {
  const inline = /^data:([\w.+-]+\/[\w.+-]+);base64,([\w+/=-]+)$/i.exec(url);
  if (inline?.[1] !== undefined) return picture(inline[2]!, inline[1], requestedType);
  try {
    const answer = await outbound.fetch(url, {
      signal,
      headers: hops === undefined ? {} : { [HOPS_HEADER]: hops },
      timeoutMs: TIMEOUT_MS,
      maxRedirects: MAX_REDIRECTS,
      maxResponseBytes: MAX_PICTURE_BYTES,
    });
    const body = new CollectedBytes();
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      body.add(chunk);
      // The picture stays in memory as base64, and is a part of the answer.
      allowance.keep(Math.ceil((chunk.length * 4) / 3));
      await allowance.room();
    }
    if (answer.status !== 200)
      throw invalidResponse(200, new Error(`a picture whose URL answers ${answer.status}`));
    const [type = ''] = (answer.headers['content-type'] ?? '').split(';');
    return picture(body.whole().toString('base64'), type.trim(), requestedType);
  } catch (error) {
    allowance.release();
    throw transportFailure(error, { signal, sent: true });
  }
}

function picture(b64Json: string, contentType: string, requestedType: string): MadeImage {
  if (b64Json === '') throw invalidResponse(200, new Error('an empty picture'));
  return { b64Json, ...otherMediaType(contentType, requestedType) };
}
