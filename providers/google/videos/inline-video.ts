/** Decodes videos that an answer holds in base64, without holding one in memory. */
import { Readable } from 'node:stream';
import { ProviderError } from '../../../domain/provider-error.ts';
import type { CallContext } from '../../call-context.ts';
import type { ProviderCall, ProviderHttp } from '../../http.ts';
import { PUBLIC_MESSAGES } from '../../public-message.ts';
import { transportFailure } from '../../transport-failure.ts';
import type { OpenedOutput } from '../../video-adapter.ts';
import { MAX_KEPT_BYTES, placeOf, textAt } from './long-strings.ts';

/** Opens a video in the answer to `call`, which is requested again. Returns undefined for any other location. */
export async function openInlineVideo(
  location: string,
  http: ProviderHttp,
  call: ProviderCall,
  context: CallContext,
): Promise<OpenedOutput | undefined> {
  const place = placeOf(location);
  if (place === undefined) return undefined;
  const { body } = await http.openFile(call, context);
  const bytes = decoded(textAt(body, place), context.signal);
  return { body: Readable.from(bytes, { objectMode: false }), contentType: 'video/mp4' };
}

/** Decodes the text of a long string. An answer that changed since its video was found has another text there. */
async function* decoded(pieces: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<Buffer> {
  let [rest, isLong] = ['', false];
  try {
    for await (const piece of pieces) {
      rest += piece.includes('\\') ? withoutEscapes(piece) : piece;
      if (rest.length <= MAX_KEPT_BYTES) continue;
      isLong = true;
      // Four characters are three bytes.
      const end = rest.length - (rest.length % 4);
      yield Buffer.from(rest.slice(0, end), 'base64');
      rest = rest.slice(end);
    }
  } catch (error) {
    throw transportFailure(error, { signal, sent: true });
  }
  // The caller asks for the status again.
  if (!isLong)
    throw new ProviderError({
      code: 'not_found',
      sent: true,
      retryable: false,
      publicMessage: PUBLIC_MESSAGES.not_found,
    });
  yield Buffer.from(rest, 'base64');
}

/** Returns base64 without the escapes of JSON (`\/`, `\u003d`) and without line breaks, which are escapes too. */
function withoutEscapes(piece: string): string {
  return (JSON.parse(`"${piece}"`) as string).replaceAll(/\s/g, '');
}
