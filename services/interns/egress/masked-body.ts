import type { Readable } from 'node:stream';
import type { Pieces } from '../../generations/event-stream.ts';
import type { TextMask } from './mask/text-mask.ts';

/** Placeholders may be longer than what they stand for. */
const MAX_MASKED_BYTES = 2 * 64 * 1024 ** 2;

/** The host broke off, or sent too much. The code tells the log that it is nobody's fault here. */
class BrokenAnswerError extends Error {
  readonly code = 'ERR_STREAM_PREMATURE_CLOSE';
}

/**
 * Passes on the body of an answer with placeholders in the place of values. The first piece is empty: it makes the head
 * leave before the host sends a body. `ended` is called once, with the length of what the host sent.
 */
export async function* maskedBody(body: Readable, mask: TextMask, ended: (bytes: number) => void): Pieces {
  const stream = mask.open();
  let bytes = 0;
  let maskedBytes = 0;
  try {
    yield '';
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      const masked = stream.write(chunk);
      maskedBytes += masked.length;
      if (maskedBytes > MAX_MASKED_BYTES) throw new BrokenAnswerError('the masked answer is too long');
      if (masked.length > 0) yield masked;
    }
    return stream.end();
  } catch (error) {
    throw new BrokenAnswerError('the answer of the host broke off', { cause: error });
  } finally {
    body.destroy();
    ended(bytes);
  }
}
