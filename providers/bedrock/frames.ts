/** Splits the binary streams of AWS, `application/vnd.amazon.eventstream`, into events. */
import type { EventStreamCodec, Message } from '@smithy/core/event-streams';
import { textOf } from '../../domain/fields.ts';
import { withoutRest } from '../../platform/collected-bytes.ts';
import { type EventLimits, type EventParser, EventTooLongError, type StreamEvent } from '../event-stream.ts';

/** Begins the `type` of an event that states an error. The name of the error follows. */
export const EXCEPTION = 'exception:';

/** The bytes of a frame's length, and those of a frame without headers and content. */
const LENGTH_BYTES = 4;
const EMPTY_FRAME_BYTES = 16;
/** The memory that each piece of an unfinished frame takes beside its bytes. */
const PIECE_BYTES = 64;

/** Returns the decoder of frames. It checks their checksums. The package is loaded with the first stream. */
export async function loadFrameCodec(): Promise<EventStreamCodec> {
  const { EventStreamCodec } = await import('@smithy/core/event-streams');
  return new EventStreamCodec(
    (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
    (text) => Buffer.from(text, 'utf8'),
  );
}

/**
 * Parses frames from chunks of bytes. A frame states its length first, so its pieces are joined twice at most: when the
 * length is known, and when the frame is complete. A stream that ends within a frame has no rest: the vendor has not
 * sent the whole event.
 */
export class FrameParser implements EventParser {
  readonly #codec: EventStreamCodec;
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** The bytes that the current frame needs, or those that tell its length. */
  #neededBytes = LENGTH_BYTES;

  constructor(codec: EventStreamCodec, { maxEventBytes }: Pick<EventLimits, 'maxEventBytes'>) {
    this.#codec = codec;
    this.#maxBytes = maxEventBytes;
  }

  get pendingMemory(): number {
    return this.#bytes + PIECE_BYTES * this.#pieces.length;
  }

  push(bytes: Buffer): StreamEvent[] {
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    const events: StreamEvent[] = [];
    if (this.#bytes < this.#neededBytes) return events;
    let rest = Buffer.concat(this.#pieces, this.#bytes);
    this.#neededBytes = this.#lengthOf(rest);
    while (rest.length >= this.#neededBytes) {
      events.push(toEvent(this.#codec.decode(rest.subarray(0, this.#neededBytes))));
      rest = rest.subarray(this.#neededBytes);
      this.#neededBytes = this.#lengthOf(rest);
    }
    this.#pieces = [withoutRest(rest)];
    this.#bytes = rest.length;
    return events;
  }

  rest(): string {
    return '';
  }

  #lengthOf(frame: Buffer): number {
    if (frame.length < LENGTH_BYTES) return LENGTH_BYTES;
    const length = frame.readUInt32BE(0);
    if (length < EMPTY_FRAME_BYTES) throw new Error(`a frame of ${length} bytes`);
    if (length > this.#maxBytes) throw new EventTooLongError(this.#maxBytes);
    return length;
  }
}

function toEvent({ headers, body }: Message): StreamEvent {
  const header = (name: string): string => textOf(headers[name]?.value);
  const data = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  switch (header(':message-type')) {
    case 'exception':
      return { type: EXCEPTION + header(':exception-type'), data };
    case 'error':
      return {
        type: EXCEPTION + header(':error-code'),
        data: JSON.stringify({ message: header(':error-message') }),
      };
    default:
      return { type: header(':event-type'), data };
  }
}
