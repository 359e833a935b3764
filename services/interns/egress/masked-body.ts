import type { OutboundStream } from '../../../platform/outbound-stream.ts';
import type { Pieces } from '../../generations/event-stream.ts';
import type { TextMask } from './mask/text-mask.ts';

/** The most bytes of an answer after masking: placeholders may be longer than the values that they replace. */
const MAX_MASKED_BYTES = 2 * 64 * 1024 ** 2;

/** The host broke off, or sent too much. By its code the log does not report it as a failure of the gateway. */
class BrokenAnswerError extends Error {
  readonly code = 'ERR_STREAM_PREMATURE_CLOSE';
}

/**
 * Passes on the body of an answer with placeholders in the place of values. The first piece may be empty: it makes the head
 * leave before the host sends a body. A body that has arrived with its head leaves with it. `ended` is called once, with the
 * length of what the host sent.
 */
export async function* maskedBody(
  body: Pick<OutboundStream, 'isOver' | 'take' | 'more' | 'close'>,
  mask: TextMask,
  ended: (bytes: number) => void,
): Pieces {
  const stream = mask.open();
  let bytes = 0;
  let maskedBytes = 0;
  try {
    for (;;) {
      const pieces: Buffer[] = [];
      for (const chunk of body.take()) {
        bytes += chunk.length;
        pieces.push(stream.write(chunk));
      }
      if (body.isOver) pieces.push(stream.end());
      const piece = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
      maskedBytes += piece.length;
      if (maskedBytes > MAX_MASKED_BYTES) throw new Error('the masked answer is too long');
      if (body.isOver) return piece;
      yield piece;
      await body.more();
    }
  } catch (error) {
    throw new BrokenAnswerError('the answer of the host broke off', { cause: error });
  } finally {
    body.close();
    ended(bytes);
  }
}
