import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pieces } from '../../generations/event-stream.ts';
import type { TextMask } from './mask/text-mask.ts';

/** Placeholders may be longer than what they stand for. */
const MAX_MASKED_BYTES = 2 * 64 * 1024 ** 2;

/** No more than so much waits for the rest of a short answer. */
const MAX_WAITING_BYTES = 64 * 1024;

/** The host broke off, or sent too much. The code tells the log that it is nobody's fault here. */
class BrokenAnswerError extends Error {
  readonly code = 'ERR_STREAM_PREMATURE_CLOSE';
}

/**
 * Passes on the body of an answer with placeholders in the place of values. A piece waits for one turn of the event loop, so
 * that a short answer leaves as a whole; the first piece may be empty, which makes the head leave before the host sends a
 * body. `ended` is called once, with the length of what the host sent.
 */
export async function* maskedBody(body: Readable, mask: TextMask, ended: (bytes: number) => void): Pieces {
  const stream = mask.open();
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let bytes = 0;
  let maskedBytes = 0;
  let isHeadSent = false;
  const take = (masked: Buffer): void => {
    maskedBytes += masked.length;
    waitingBytes += masked.length;
    if (maskedBytes > MAX_MASKED_BYTES) throw new BrokenAnswerError('the masked answer is too long');
    if (masked.length > 0) waiting.push(masked);
  };
  try {
    for (;;) {
      const next = chunks.next();
      const soon = waitingBytes > MAX_WAITING_BYTES ? undefined : await Promise.race([next, nextTurn()]);
      if (soon === undefined && (waitingBytes > 0 || !isHeadSent)) {
        yield joined(waiting);
        waiting = [];
        waitingBytes = 0;
        isHeadSent = true;
      }
      const { value, done } = soon ?? (await next);
      if (done === true) break;
      bytes += value.length;
      take(stream.write(value));
    }
    take(stream.end());
    return joined(waiting);
  } catch (error) {
    throw new BrokenAnswerError('the answer of the host broke off', { cause: error });
  } finally {
    body.destroy();
    ended(bytes);
  }
}

function joined(pieces: readonly Buffer[]): Buffer {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
}
