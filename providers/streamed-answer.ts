import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ProviderError } from '../domain/provider-error.ts';
import { EventStreamParser, type StreamEvent } from './event-stream.ts';
import { type ExchangeOptions, TextExchange } from './text-exchange.ts';
import { invalidResponse, transportFailure } from './transport-failure.ts';

/** What a vendor's events mean: one is made for each stream. */
export interface EventReader<T> {
  /**
   * A value to hand on, `end` for the vendor's last word, undefined for an event that says nothing. Throws
   * ProviderError when the event is a failure, anything else when it cannot be understood.
   */
  read(event: StreamEvent): T | 'end' | undefined;
  /** A body that is no stream: the error to fail with. */
  readBody(text: string): ProviderError;
  /** Whether an answer that stops here lacks nothing, although its last word did not come. */
  isWhole(): boolean;
}

/** Unread bytes of a stream beyond which the vendor has to wait for the caller. */
const MAX_UNREAD_BYTES = 256 * 1024;
/** A vendor that has said its last word may close the answer within this; then the connection is closed. */
const LINGER_MS = 1_000;

/**
 * An exchange whose answer is a stream of events. What arrives together, and what arrives while the caller is
 * busy, is yielded together. It has to be iterated or aborted: until then it holds its connection.
 */
export class StreamedAnswer<T> extends TextExchange implements AsyncIterableIterator<T[]> {
  readonly #reader: EventReader<T>;
  readonly #parser = new EventStreamParser();
  readonly #begun = Promise.withResolvers<void>();
  #isStream = false;
  /** Nothing was handed on yet. */
  #isFresh = true;
  #connection: Dispatcher.DispatchController | undefined;
  #linger: NodeJS.Timeout | undefined;
  /** Arrived and not yet taken. */
  #ready: T[] = [];
  #unreadBytes = 0;
  #waiting: PromiseWithResolvers<IteratorResult<T[], undefined>> | undefined;
  #failure: ProviderError | undefined;

  constructor(options: ExchangeOptions, reader: EventReader<T>) {
    super(options);
    this.#reader = reader;
  }

  /** Resolves when the first values are there. Fails with ProviderError. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T[], undefined>> {
    if (this.#ready.length > 0) {
      const value = this.#ready;
      this.#ready = [];
      this.#unreadBytes = 0;
      this.#connection?.resume();
      return Promise.resolve({ done: false, value });
    }
    if (this.#failure !== undefined) {
      const failure = this.#failure;
      this.#failure = undefined;
      return Promise.reject(failure);
    }
    if (this.over) return Promise.resolve({ done: true, value: undefined });
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** The caller wants no more: the vendor is told by closing the connection. */
  return(): Promise<IteratorResult<T[], undefined>> {
    this.#ready = [];
    if (!this.over) {
      this.end();
      this.#connection?.abort(new Error('the caller wants no more'));
      this.#waiting?.resolve({ done: true, value: undefined });
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  override onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    super.onResponseStart(controller, status, headers);
    this.#connection = controller;
    // Vendors label a stream in many ways, but an error as what it is.
    this.#isStream = status >= 200 && status < 300 && !this.contentType.includes('json');
  }

  override onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#isStream) return super.onResponseData(controller, chunk);
    if (this.over) return;
    // Any byte is a beginning, a comment that says `wait` included; from here on only silence counts.
    this.stopTimer();
    try {
      for (const event of this.#parser.push(chunk)) {
        const value = this.#reader.read(event);
        if (value === 'end') return this.#finish(true);
        if (value !== undefined) this.#ready.push(value);
      }
    } catch (error) {
      return this.fail(error instanceof ProviderError ? error : invalidResponse(this.status, error));
    }
    this.#unreadBytes += chunk.length;
    this.#handOn();
    if (this.#unreadBytes > MAX_UNREAD_BYTES && this.#ready.length > 0) controller.pause();
  }

  override onResponseEnd(): void {
    clearTimeout(this.#linger);
    if (!this.#isStream) return super.onResponseEnd();
    if (this.over) return;
    const last = this.#parser.rest();
    if (this.#reader.isWhole() || (last !== '' && this.#endsWith(last))) this.#finish(false);
    else this.fail(transportFailure(new Error('the stream ended too early'), { signal: this.signal }));
  }

  override onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#linger);
    if (this.#isStream && !this.over && this.#reader.isWhole()) this.#finish(false);
    else super.onResponseError(controller, error);
  }

  protected override answered(text: string): void {
    this.fail(this.#reader.readBody(text));
  }

  protected override failed(error: ProviderError): void {
    // A caller who has nothing yet may still ask elsewhere; otherwise what arrived before it is still to be read.
    if (this.#isFresh) return this.#begun.reject(error);
    this.#failure = error;
    this.#handOn();
  }

  #endsWith(data: string): boolean {
    try {
      return this.#reader.read({ type: '', data }) === 'end';
    } catch {
      return false;
    }
  }

  #finish(mayLinger: boolean): void {
    if (this.#ready.length === 0 && this.#isFresh) {
      return this.fail(invalidResponse(this.status, new Error('a stream without events')));
    }
    this.end();
    this.#handOn();
    if (mayLinger) this.#linger = setTimeout(closeConnection, LINGER_MS, this.#connection).unref();
  }

  /** Gives the waiting caller what there is, if there is anything to give. */
  #handOn(): void {
    if (this.#ready.length > 0 && this.#isFresh) {
      this.#isFresh = false;
      this.#begun.resolve();
    }
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    if (this.#ready.length === 0 && this.#failure === undefined && !this.over) return;
    this.#waiting = undefined;
    this.next().then(waiting.resolve, waiting.reject);
  }
}

function closeConnection(connection: Dispatcher.DispatchController | undefined): void {
  connection?.abort(new Error('the vendor has said its last word'));
}
