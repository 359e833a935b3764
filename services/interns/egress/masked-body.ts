/** Passes the body of a host's answer on to an intern, with secrets replaced by placeholders. */
import type { AnswerInFlight } from '../../../platform/answers-in-flight.ts';
import type { OutboundStream } from '../../../platform/outbound-stream.ts';
import type { Pieces } from '../../../platform/event-stream.ts';
import type { TextMask } from './mask/text-mask.ts';

/** The most bytes of an answer after masking; placeholders may be longer than the values that they replace. */
const MAX_MASKED_BYTES = 2 * 64 * 1024 ** 2;

/** The most times by which masking lengthens an answer: a placeholder may have 270 bytes and its value one. */
const MAX_GROWTH = 270;

/** The number of bytes that are masked at a time. The result may wait in memory for a slow reader. */
const STEP_BYTES = 16 * 1024;

/** The size up to which pieces are joined before they are passed on. */
export const PIECE_BYTES = 64 * 1024;

/** The memory of one answer. */
type Memory = Pick<AnswerInFlight, 'add' | 'room'>;

/** A masked body, with the length of the host's body. */
export interface MaskedWhole {
  body: Buffer;
  receivedBytes: number;
}

/**
 * Means that the host broke off its answer or sent too much. Its code keeps the log from reporting a failure of the
 * gateway.
 */
class BrokenAnswerError extends Error {
  readonly code = 'ERR_STREAM_PREMATURE_CLOSE';
}

/**
 * Passes on the body of an answer with placeholders in place of values. The first piece may be empty, so that the
 * headers are sent before the host sends a body. `ended` is called once, with the length of the host's body. The next
 * piece is masked when the reader has taken the previous one and `memory` has room.
 */
export async function* maskedBody(
  body: Pick<OutboundStream, 'isOver' | 'take' | 'more' | 'close'>,
  mask: TextMask,
  memory: Memory,
  ended: (bytes: number) => void,
): Pieces {
  const stream = mask.open();
  let bytes = 0;
  let maskedBytes = 0;
  try {
    for (;;) {
      let pieces: Buffer[] = [];
      let pieceBytes = 0;
      for (const step of stepsOf(body.take())) {
        const room = memory.room(MAX_GROWTH * step.length);
        if (room !== undefined) await room;
        bytes += step.length;
        const masked = stream.write(step);
        pieces.push(masked);
        pieceBytes += masked.length;
        maskedBytes += masked.length;
        if (maskedBytes > MAX_MASKED_BYTES) throw new Error('the masked answer is too long');
        if (pieceBytes <= PIECE_BYTES) continue;
        memory.add(pieceBytes);
        yield joined(pieces);
        memory.add(-pieceBytes);
        pieces = [];
        pieceBytes = 0;
      }
      if (body.isOver) return joined([...pieces, stream.end()]);
      yield joined(pieces);
      await body.more();
    }
  } catch (error) {
    throw new BrokenAnswerError('the answer of the host broke off', { cause: error });
  } finally {
    body.close();
    ended(bytes);
  }
}

/** Passes on a masked body. `ended` is called once, when the reader has taken the body or has disconnected. */
export async function* passedWhole(body: Buffer, memory: Memory, ended: () => void): Pieces {
  try {
    memory.add(body.length);
    yield body;
    return undefined;
  } finally {
    ended();
  }
}

/** Returns a body that has arrived as a whole, with placeholders in place of values; undefined for any other body. */
export function maskedWhole(
  body: Pick<OutboundStream, 'takeWhole'>,
  mask: TextMask,
): MaskedWhole | undefined {
  const bytes = body.takeWhole(STEP_BYTES);
  if (bytes === undefined) return undefined;
  const stream = mask.open();
  return { body: joined([stream.write(bytes), stream.end()]), receivedBytes: bytes.length };
}

function* stepsOf(chunks: readonly Buffer[]): Generator<Buffer> {
  for (const chunk of chunks) {
    if (chunk.length <= STEP_BYTES) yield chunk;
    else for (let at = 0; at < chunk.length; at += STEP_BYTES) yield chunk.subarray(at, at + STEP_BYTES);
  }
}

function joined(pieces: readonly Buffer[]): Buffer {
  const filled = pieces.filter(({ length }) => length > 0);
  return filled.length === 1 ? filled[0]! : Buffer.concat(filled);
}
