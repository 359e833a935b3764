/** Reads the pictures that servers name by a URL in place of base64. */
import { registeredType } from '../../domain/live/media-url.ts';
import { CollectedBytes } from '../../platform/collected-bytes.ts';
import type { LiveCallContext } from '../call-context.ts';
import type { MadeImage } from '../image-adapter.ts';
import type { OutboundFetch } from '../reference-media.ts';
import { invalidResponse, transportFailure } from '../transport-failure.ts';

/** The largest picture that is fetched: one of 4K, with a margin. All pictures of an answer share its limit. */
const MAX_PICTURE_BYTES = 48 * 1024 ** 2;
const TIMEOUT_MS = 60_000;
/** The limit for all results behind a vendor's URL (docs/design.md, Safety). */
const MAX_REDIRECTS = 3;

const TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/svg+xml']);

/**
 * Returns the picture behind a data URL or an http(s) URL of a vendor's answer. URLs are fetched through the guard,
 * without the vendor's credential. Fails with ProviderError `invalid_response` if there is no picture.
 */
export async function pictureAt(
  url: string,
  requestedType: string,
  outbound: OutboundFetch,
  { signal, answer: allowance }: LiveCallContext,
): Promise<MadeImage> {
  const inline = /^data:([\w.+-]+\/[\w.+-]+);base64,([\w+/=-]+)$/i.exec(url);
  if (inline?.[1] !== undefined) return picture(inline[2]!, inline[1], requestedType);
  try {
    const answer = await outbound.fetch(url, {
      signal,
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
  const type = registeredType(contentType);
  return type !== requestedType && TYPES.has(type) ? { b64Json, mediaType: type } : { b64Json };
}
