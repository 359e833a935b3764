/** Passes the events of a streaming upstream to the caller as they arrive. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ProviderError } from '../domain/provider-error.ts';
import { errorOfBody } from './answer-checks.ts';
import { checkStructure } from './check-structure.ts';
import { type EventLimits, type EventParser, EventStreamParser, type StreamEvent } from './event-stream.ts';
import { StreamedExchange } from './streamed-exchange.ts';
import type { ExchangeOptions } from './text-exchange.ts';
import { invalidResponse, transportFailure } from './transport-failure.ts';
import { errorEvent } from './vendor-error.ts';

/** Interprets a vendor's events. Each stream has its own reader. */
export interface EventReader<T> {
  /** Creates the parser of a stream that does not consist of server-sent events. */
  createParser?(limits: EventLimits): EventParser;
  /** Reads the headers of the answer, before its events. */
  begin?(headers: IncomingHttpHeaders): void;
  /**
   * Returns a value to pass on, `end` for the vendor's final event, or undefined for an event without content. Throws
   * ProviderError, without the secrets, for an event that states an error, and another error for an invalid one. Events
   * that are named `error` fail the answer and never arrive here.
   */
  read(event: StreamEvent, secrets: readonly string[]): T | 'end' | undefined;
  /**
   * Returns a last value, for an answer whose end the vendor left incomplete. Called after the final event. Throws
   * ProviderError if the answer has no content.
   */
  rest?(): T | undefined;
  /** Returns the error for a body that is no stream. Absent: the error that its JSON states, if any. */
  readBody?(text: string, secrets: readonly string[]): ProviderError;
  /** Returns whether an answer that stops here is complete, although the vendor's final event did not arrive. */
  isWhole(): boolean;
  /** Returns whether no more events are expected, although the vendor's final event did not arrive. Absent: false. */
  isOver?(): boolean;
  /** Returns whether an event that begins like this may be as long as a whole answer. Absent: none may. */
  mayBeWhole?(beginning: StreamEvent): boolean;
}

/**
 * The time that a vendor has to close the answer after its final event. After that the gateway closes the connection.
 */
const LINGER_MS = 1_000;

const OPENING_BRACE = 0x7b;
/** The first bytes of JSON and of a page. */
const BODY_BEGINNINGS = new Set([OPENING_BRACE, 0x5b, 0x3c]);
/** White space, and the bytes of a byte order mark. */
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]);

/** An exchange with a stream of events as its answer. */
export class StreamedAnswer<T> extends StreamedExchange<T> {
  /** Undefined once the answer has ended. Both hold text of it, and a caller may keep the exchange for longer. */
  #reading: { reader: EventReader<T>; parser: EventParser } | undefined;
  #linger: NodeJS.Timeout | undefined;
  /** True until more than white space has arrived. */
  #isBlank = true;

  constructor(options: ExchangeOptions, reader: EventReader<T>) {
    super(options);
    const { maxEventBytes, maxBytes } = options.answer;
    const mayBeLong = (beginning: StreamEvent): boolean => reader.mayBeWhole?.(beginning) === true;
    const limits = { maxEventBytes, maxLongBytes: maxBytes, mayBeLong };
    const parser = reader.createParser?.(limits) ?? new EventStreamParser(limits);
    this.#reading = { reader, parser };
  }

  override onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isBlank && this.isStream) this.#readBeginning(chunk);
    super.onResponseData(controller, chunk);
  }

  override onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    super.onResponseStart(controller, status, headers);
    if (this.isStream) this.#reading?.reader.begin?.(headers);
  }

  override onResponseEnd(): void {
    clearTimeout(this.#linger);
    super.onResponseEnd();
  }

  override onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#linger);
    super.onResponseError(controller, error);
  }

  protected override get pendingBytes(): number {
    return this.#reading?.parser.pendingMemory ?? 0;
  }

  protected override end(): void {
    super.end();
    this.#reading = undefined;
  }

  protected override bodyEnded(): void {
    if (!this.isStream) return super.bodyEnded();
    if (this.#reading === undefined) return;
    const { reader, parser } = this.#reading;
    const last = parser.rest();
    if (reader.isWhole() || (last !== '' && endsWith(reader, last))) this.#finishWhole(reader, false);
    else this.fail(transportFailure(new Error('the stream ended too early'), { signal: this.signal }));
  }

  protected override bodyBroke(controller: Dispatcher.DispatchController, error: Error): void {
    const reader = this.isStream ? this.#reading?.reader : undefined;
    if (reader?.isWhole() === true) this.#finishWhole(reader, false);
    else super.bodyBroke(controller, error);
  }

  protected override take(chunk: Buffer): void {
    if (this.#reading === undefined) return;
    const { reader, parser } = this.#reading;
    try {
      for (const event of parser.push(chunk)) {
        if (isHeartbeat(event)) continue;
        checkStructure(event.data);
        this.answer?.passEvent(event.data.length);
        if (event.type === 'error') throw errorEvent(event.data, this.secrets);
        const value = reader.read(event, this.secrets);
        if (value === 'end') return this.#finishWhole(reader, true);
        if (value !== undefined) this.hold(value);
        if (reader.isOver?.() === true) return this.#finishWhole(reader, true);
      }
    } catch (error) {
      this.fail(error instanceof ProviderError ? error : invalidResponse(this.status, error));
    }
  }

  protected override answered(body: Buffer): void {
    if (this.#reading === undefined) return;
    const { readBody = errorOfBody } = this.#reading.reader;
    this.fail(readBody(body.toString('utf8'), this.secrets));
  }

  /** Recognizes JSON and pages, in which servers state errors under the label of a stream, which begins otherwise. */
  #readBeginning(chunk: Buffer): void {
    const first = chunk.find((byte) => !BLANKS.has(byte));
    if (first === undefined) return;
    this.#isBlank = false;
    if (BODY_BEGINNINGS.has(first)) this.collectBody();
  }

  #finishWhole(reader: EventReader<T>, mayLinger: boolean): void {
    if (this.isEmpty) return this.fail(invalidResponse(this.status, new Error('a stream without events')));
    try {
      const rest = reader.rest?.();
      if (rest !== undefined) this.hold(rest);
    } catch (error) {
      return this.fail(error instanceof ProviderError ? error : invalidResponse(this.status, error));
    }
    this.finish();
    if (mayLinger) this.#linger = setTimeout(closeConnection, LINGER_MS, this.connection).unref();
  }
}

function endsWith<T>(reader: EventReader<T>, data: string): boolean {
  try {
    return reader.read({ type: '', data }, []) === 'end';
  } catch {
    return false;
  }
}

/** Returns whether an event only keeps the connection open. Some servers send empty data for that. */
function isHeartbeat({ type, data }: StreamEvent): boolean {
  return data.charCodeAt(0) !== OPENING_BRACE && type !== 'error' && !/\S/.test(data);
}

function closeConnection(connection: Dispatcher.DispatchController | undefined): void {
  connection?.abort(new Error('the stream has ended'));
}
