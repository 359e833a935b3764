/** Splits the byte stream of an upstream into server-sent events. */
import { StringDecoder } from 'node:string_decoder';

/** One server-sent event. */
export interface StreamEvent {
  /** The `event` field; empty if there was none. */
  type: string;
  /** Its `data` lines, joined by line feeds. */
  data: string;
}

/** The memory that each piece of an unfinished line takes beside its text. */
const PIECE_BYTES = 64;

/** The length of an event's beginning, by which long events are recognized. */
const BEGINNING_LENGTH = 200;

const BYTE_ORDER_MARK = 0xfeff;

/** Limits the events of a stream, so that an endless line cannot fill the memory. */
export interface EventLimits {
  maxEventBytes: number;
  /** The limit of events for which `mayBeLong` returns true. */
  maxLongBytes: number;
  /** Called with the beginning of an event that has reached `maxEventBytes`. */
  mayBeLong(beginning: StreamEvent): boolean;
}

/** Splits the bytes of a stream into events. */
export interface EventParser {
  /** The memory of the current incomplete event. */
  readonly pendingMemory: number;
  /** Returns the events that this piece completes. Throws EventTooLongError. */
  push(bytes: Buffer): StreamEvent[];
  /** Returns the data of an unfinished event at the end of the stream; an empty text if there is none. */
  rest(): string;
}

/** Thrown when an event is longer than allowed. */
export class EventTooLongError extends Error {
  constructor(maxBytes: number) {
    super(`an event of more than ${maxBytes} bytes`);
    this.name = 'EventTooLongError';
  }
}

/**
 * Parses server-sent events from chunks of bytes, by the grammar of the WHATWG HTML standard, 9.2.5 and 9.2.6 (read
 * 2026-11-21). Line ends are LF, CRLF or CR. A byte order mark, comments, `id`, `retry` and unknown fields are skipped;
 * events without data are ignored.
 *
 * Every character is inspected once: only new text is searched for line ends, so an event in a million pieces costs no
 * more than one that arrives whole.
 */
export class EventStreamParser implements EventParser {
  readonly #limits: EventLimits;
  readonly #decoder = new StringDecoder('utf8');
  #hasText = false;
  /** True after a piece that ended with CR: a LF that follows belongs to it. */
  #afterReturn = false;
  /** The current incomplete line. */
  #line = '';
  #type = '';
  #data: string | undefined;
  /** The bytes of the current incomplete event, and the pieces in which they arrived. */
  #pendingBytes = 0;
  #pendingPieces = 0;
  /** The limit of the current event. */
  #maxBytes: number;

  constructor(limits: EventLimits) {
    this.#limits = limits;
    this.#maxBytes = limits.maxEventBytes;
  }

  /** The memory of the current incomplete event. */
  get pendingMemory(): number {
    return this.#pendingBytes + PIECE_BYTES * this.#pendingPieces;
  }

  /** Returns the events that this piece completes. Throws EventTooLongError. */
  push(bytes: Buffer): StreamEvent[] {
    const events: StreamEvent[] = [];
    const text = this.#normalize(this.#decoder.write(bytes));
    let start = 0;
    let eventEnd = -1;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      // The pieces of a long line are joined once, here: searching each piece would flatten the string again.
      const line = this.#line === '' ? text.slice(start, end) : this.#line + text.slice(start, end);
      this.#line = '';
      start = end + 1;
      if (line !== '') this.#readLine(line);
      else {
        eventEnd = start;
        if (this.#data !== undefined) events.push({ type: this.#type, data: this.#data });
        this.#type = '';
        this.#data = undefined;
      }
    }
    this.#line += start === 0 ? text : text.slice(start);
    this.#countPending(
      eventEnd === -1 ? bytes.length : Buffer.byteLength(text.slice(eventEnd)),
      eventEnd !== -1,
    );
    return events;
  }

  /**
   * Returns the data of an unfinished event at the end of the stream. The standard drops it, but some servers omit the
   * last empty line.
   */
  rest(): string {
    if (this.#line !== '') this.#readLine(this.#line);
    return this.#data ?? '';
  }

  #countPending(bytes: number, isNew: boolean): void {
    if (isNew) {
      this.#pendingBytes = bytes;
      this.#pendingPieces = bytes === 0 ? 0 : 1;
      this.#maxBytes = this.#limits.maxEventBytes;
    } else {
      this.#pendingBytes += bytes;
      this.#pendingPieces += 1;
    }
    if (this.#pendingBytes <= this.#maxBytes) return;
    const { maxLongBytes, mayBeLong } = this.#limits;
    if (this.#maxBytes < maxLongBytes && mayBeLong(this.#beginning())) this.#maxBytes = maxLongBytes;
    if (this.#pendingBytes > this.#maxBytes) throw new EventTooLongError(this.#maxBytes);
  }

  #beginning(): StreamEvent {
    const data = this.#data ?? this.#line.slice(0, BEGINNING_LENGTH).replace(/^data: ?/, '');
    return { type: this.#type, data: data.slice(0, BEGINNING_LENGTH) };
  }

  #normalize(decoded: string): string {
    let text = decoded;
    if (!this.#hasText && text !== '') {
      this.#hasText = true;
      if (text.charCodeAt(0) === BYTE_ORDER_MARK) text = text.slice(1);
    }
    if (this.#afterReturn && text !== '') {
      this.#afterReturn = false;
      if (text.startsWith('\n')) text = text.slice(1);
    }
    if (!text.includes('\r')) return text;
    this.#afterReturn = text.endsWith('\r');
    return text.replaceAll(/\r\n?/g, '\n');
  }

  #readLine(line: string): void {
    // The common case: nearly every line of a chat.
    if (line.startsWith('data: ')) return this.#addData(line.slice(6));
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    if (name !== 'data' && name !== 'event') return;
    const begin = colon + (line.charCodeAt(colon + 1) === 0x20 ? 2 : 1);
    const value = colon === -1 ? '' : line.slice(begin);
    if (name === 'data') this.#addData(value);
    else this.#type = value;
  }

  #addData(value: string): void {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }
}
