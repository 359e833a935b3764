/** Splits the binary streams of AWS, `application/vnd.amazon.eventstream`, into events. */
import { textOf } from '../../domain/fields.ts';
import { withoutRest } from '../../platform/collected-bytes.ts';
import { type EventLimits, type EventParser, EventTooLongError, type StreamEvent } from '../event-stream.ts';

/** A decoded frame. */
interface Frame {
  headers: Record<string, { value: unknown }>;
  body: Uint8Array;
}

/** Decodes one frame. Throws an error if one of its checksums is wrong. */
export type DecodeFrame = (frame: Uint8Array) => Frame;

/** Begins the `type` of an event that states an error. The name of the error follows. */
export const EXCEPTION = 'exception:';

/** The bytes of a frame's length, and those of a frame without headers and content. */
const LENGTH_BYTES = 4;
const EMPTY_FRAME_BYTES = 16;
/** The memory that each piece of an unfinished frame takes beside its bytes. */
const PIECE_BYTES = 64;

let decoder: Promise<DecodeFrame> | undefined;

/** Returns the decoder of frames. The package is loaded with the first stream. */
export function loadFrameDecoder(): Promise<DecodeFrame> {
  decoder ??= import('@smithy/eventstream-codec').then(({ EventStreamCodec }) => {
    const codec = new EventStreamCodec(
      (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
      (text) => Buffer.from(text, 'utf8'),
    );
    return (frame) => codec.decode(frame);
  });
  return decoder;
}

/**
 * Parses frames from chunks of bytes. A frame states its length first, so its pieces are joined once, when it is
 * complete. A stream that ends within a frame has no rest: the vendor has not sent the whole event.
 */
export class FrameParser implements EventParser {
  readonly #decode: DecodeFrame;
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** The length of the current frame, once it is known. */
  #frameBytes: number | undefined;

  constructor(decode: DecodeFrame, { maxEventBytes }: Pick<EventLimits, 'maxEventBytes'>) {
    this.#decode = decode;
    this.#maxBytes = maxEventBytes;
  }

  get pendingMemory(): number {
    return this.#bytes + PIECE_BYTES * this.#pieces.length;
  }

  push(bytes: Buffer): StreamEvent[] {
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    const events: StreamEvent[] = [];
    for (;;) {
      this.#frameBytes ??= this.#readLength();
      if (this.#frameBytes === undefined || this.#bytes < this.#frameBytes) return events;
      const all = this.#joined();
      events.push(toEvent(this.#decode(all.subarray(0, this.#frameBytes))));
      this.#pieces = [withoutRest(all.subarray(this.#frameBytes))];
      this.#bytes -= this.#frameBytes;
      this.#frameBytes = undefined;
    }
  }

  rest(): string {
    return '';
  }

  #readLength(): number | undefined {
    if (this.#bytes < LENGTH_BYTES) return undefined;
    const length = this.#joined().readUInt32BE(0);
    if (length < EMPTY_FRAME_BYTES) throw new Error(`a frame of ${length} bytes`);
    if (length > this.#maxBytes) throw new EventTooLongError(this.#maxBytes);
    return length;
  }

  #joined(): Buffer {
    const [first] = this.#pieces;
    if (first !== undefined && this.#pieces.length === 1) return first;
    const all = Buffer.concat(this.#pieces, this.#bytes);
    this.#pieces = [all];
    return all;
  }
}

function toEvent({ headers, body }: Frame): StreamEvent {
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
