/** Decodes videos that an answer holds in base64, without holding one in memory. */
import { Readable } from 'node:stream';
import { ProviderError } from '../../../domain/provider-error.ts';
import type { CallContext } from '../../call-context.ts';
import type { ProviderCall, ProviderHttp } from '../../http.ts';
import { PUBLIC_MESSAGES } from '../../public-message.ts';
import { transportFailure } from '../../transport-failure.ts';
import type { OpenedOutput, VideoOutput } from '../../video-adapter.ts';
import { type FoundString, longString } from './long-strings.ts';

const INLINE = /^inline:(\d{1,9})$/;
/** Matches an escape of JSON at the end of a chunk that may continue in the next one. */
const BEGUN_ESCAPE = /\\(u[0-9a-f]{0,3})?$/i;

/** Returns the location of a video: its address, or its place in an answer that must be requested again to read it. */
export function locationOf(video: FoundString): string {
  return 'text' in video ? video.text : `inline:${video.long}`;
}

/** Opens a video in the answer to `call`; returns undefined for an output that is at an address. */
export async function openInlineVideo(
  { location }: VideoOutput,
  http: ProviderHttp,
  call: ProviderCall,
  context: CallContext,
): Promise<OpenedOutput | undefined> {
  const [, number] = INLINE.exec(location) ?? [];
  if (number === undefined) return undefined;
  const { body } = await http.openFile(call, context);
  const bytes = decoded(longString(body, Number(number)), context.signal);
  return { body: Readable.from(bytes, { objectMode: false }), contentType: 'video/mp4' };
}

async function* decoded(parts: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
  let rest = '';
  let isEmpty = true;
  try {
    for await (const part of parts) {
      const { whole, begun } = withoutEscapes(rest + part.toString('latin1'));
      // Four characters are three bytes.
      const end = whole.length - (whole.length % 4);
      rest = whole.slice(end) + begun;
      isEmpty = false;
      if (end > 0) yield Buffer.from(whole.slice(0, end), 'base64');
    }
  } catch (error) {
    throw transportFailure(error, { signal, sent: true });
  }
  if (isEmpty) throw noLongerThere();
  if (rest !== '') yield Buffer.from(rest, 'base64');
}

/** Returns base64 without JSON's escapes (`\/`, `\u003d`, `\n`), and an escape that the text only begins. */
function withoutEscapes(text: string): { whole: string; begun: string } {
  if (!text.includes('\\')) return { whole: text, begun: '' };
  const begun = BEGUN_ESCAPE.exec(text)?.[0] ?? '';
  const whole = text
    .slice(0, text.length - begun.length)
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[nrt]/g, '')
    .replaceAll('\\/', '/')
    .replace(/\s/g, '');
  return { whole, begun };
}

/** The error for an answer that changed since its video was found. The caller asks for the status again. */
function noLongerThere(): ProviderError {
  return new ProviderError({
    code: 'not_found',
    sent: true,
    retryable: false,
    publicMessage: PUBLIC_MESSAGES.not_found,
  });
}
