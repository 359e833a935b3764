/** Passes on the answer of an upstream request as it arrives, with buffering and backpressure. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { ProviderError } from '../domain/provider-error.ts';
import { TextExchange } from './text-exchange.ts';

/** The unread bytes of a stream above which the vendor is paused. */
const MAX_UNREAD_BYTES = 256 * 1024;

/**
 * An exchange whose answer is passed on as it arrives. Chunks that arrive together, or while the caller is busy, are
 * yielded together. The caller must iterate or abort the exchange: until then it occupies its connection.
 */
export abstract class StreamedExchange<T> extends TextExchange implements AsyncIterableIterator<T[]> {
  readonly #firstValues = Promise.withResolvers<void>();
  #isStream = false;
  /** True until a value was passed on. */
  #isFresh = true;
  #connection: Dispatcher.DispatchController | undefined;
  /** Values that arrived and were not taken yet. */
  #ready: T[] = [];
  #unreadBytes = 0;
  #waiting: PromiseWithResolvers<IteratorResult<T[], undefined>> | undefined;
  #failure: ProviderError | undefined;

  /** Resolves with the first values. Fails with ProviderError. */
  get firstValues(): Promise<void> {
    return this.#firstValues.promise;
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

  /** Ends the stream for the caller and closes the vendor's connection. */
  return(): Promise<IteratorResult<T[], undefined>> {
    this.#ready = [];
    if (!this.over) {
      this.end();
      this.#connection?.abort(new Error('the caller stopped reading'));
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
    // Vendors label streams in many ways, but errors as JSON.
    this.#isStream = status >= 200 && status < 300 && !this.contentType.includes('json');
  }

  override onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#isStream) return super.onResponseData(controller, chunk);
    if (this.over) return;
    // Any byte counts as the beginning, including a comment that says `wait`. After that, only silence has a timeout.
    this.stopTimer();
    this.take(chunk);
    if (this.over) return;
    this.#unreadBytes += chunk.length;
    this.#serveWaiting();
    if (this.#unreadBytes > MAX_UNREAD_BYTES && this.#ready.length > 0) controller.pause();
  }

  /** Processes a piece of the stream. It passes completed values to `hold`, and it may end or fail the exchange. */
  protected abstract take(chunk: Buffer): void;

  protected get isStream(): boolean {
    return this.#isStream;
  }

  /** True: no value was taken, and none waits. */
  protected get isEmpty(): boolean {
    return this.#ready.length === 0 && this.#isFresh;
  }

  protected get connection(): Dispatcher.DispatchController | undefined {
    return this.#connection;
  }

  protected hold(value: T): void {
    this.#ready.push(value);
  }

  /** Ends the stream after its last value. */
  protected finish(): void {
    this.end();
    this.#serveWaiting();
  }

  protected override failed(error: ProviderError): void {
    // A caller that has received no value can try another endpoint, so it gets the error at once. Other callers read
    // the earlier values first.
    if (this.#isFresh) return this.#firstValues.reject(error);
    this.#failure = error;
    this.#serveWaiting();
  }

  /** Passes the values, an error or the end to a waiting caller. */
  #serveWaiting(): void {
    if (this.#ready.length > 0 && this.#isFresh) {
      this.#isFresh = false;
      this.#firstValues.resolve();
    }
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    if (this.#ready.length === 0 && this.#failure === undefined && !this.over) return;
    this.#waiting = undefined;
    this.next().then(waiting.resolve, waiting.reject);
  }
}
