/** Passes on the answer of an upstream request as it arrives, with buffering and backpressure. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { ProviderError } from '../domain/provider-error.ts';
import { withoutRest } from '../platform/collected-bytes.ts';
import { TextExchange } from './text-exchange.ts';

/** The unread bytes of a stream above which the vendor is paused. One read of the socket may exceed them. */
const MAX_UNREAD_BYTES = 16 * 1024;

/** The most times by which bytes of an upstream may grow when they are presented to the caller. */
const GROWTH = 8;

/**
 * An exchange whose answer is passed on as it arrives. Chunks that arrive together, or while the caller is busy, are
 * yielded together. The caller must iterate or abort the exchange: until then it occupies its connection.
 *
 * Chunks stay bytes until the caller asks for values, because values may take many times the memory.
 */
export abstract class StreamedExchange<T> extends TextExchange implements AsyncIterableIterator<T[]> {
  readonly #firstValues = Promise.withResolvers<void>();
  #isStream = false;
  /** True until a value was passed on. */
  #isFresh = true;
  #connection: Dispatcher.DispatchController | undefined;
  /** Chunks that arrived and were not read yet. */
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  /** True: the answer waits for memory. */
  #isHeld = false;
  /** Ends the exchange once all chunks are read. */
  #ending: (() => void) | undefined;
  /** Values that were read and not taken yet. */
  #ready: T[] = [];
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
    this.#waiting = Promise.withResolvers();
    const { promise } = this.#waiting;
    if (this.#ready.length === 0) this.#readOn();
    this.#serveWaiting();
    return promise;
  }

  /** Ends the stream for the caller and closes the vendor's connection. */
  return(): Promise<IteratorResult<T[], undefined>> {
    this.#ready = [];
    if (!this.over) {
      this.answer?.release();
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
    const isReadAtOnce = this.#isWanted && !this.#isHeld;
    this.#unread.push(isReadAtOnce ? chunk : withoutRest(chunk));
    this.#unreadBytes += chunk.length;
    if (isReadAtOnce) this.#readOn();
    else this.#countMemory();
    if (this.#unreadBytes > MAX_UNREAD_BYTES) controller.pause();
  }

  override onResponseEnd(): void {
    this.#endWith(() => this.bodyEnded());
  }

  override onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#endWith(() => this.bodyBroke(controller, error));
  }

  /** Processes a piece of the stream. It passes completed values to `hold`, and it may end or fail the exchange. */
  protected abstract take(chunk: Buffer): void;

  /** The memory of the part of the stream that was taken and is no value yet. */
  protected get pendingBytes(): number {
    return 0;
  }

  /** Called when the whole body was taken. */
  protected bodyEnded(): void {
    super.onResponseEnd();
  }

  /** Called when the body broke off, and the part that had arrived was taken. */
  protected bodyBroke(controller: Dispatcher.DispatchController, error: Error): void {
    super.onResponseError(controller, error);
  }

  protected get isStream(): boolean {
    return this.#isStream;
  }

  /** Collects the rest of the answer as one body, although it is labelled as a stream. */
  protected collectBody(): void {
    this.#isStream = false;
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
    this.answer?.hold(0);
    this.end();
    // Lets the vendor end its answer, so that the connection can be used again.
    this.#connection?.resume();
    this.#serveWaiting();
  }

  protected override end(): void {
    super.end();
    this.#unread = [];
    this.#unreadBytes = 0;
  }

  protected override failed(error: ProviderError): void {
    // A caller that has received no value can try another endpoint, so it gets the error at once. Other callers read
    // the earlier values first.
    if (this.#isFresh) return this.#firstValues.reject(error);
    this.#failure = error;
    this.#serveWaiting();
  }

  /** Returns whether the caller has no value to work on. */
  get #isWanted(): boolean {
    return this.#isFresh || this.#waiting !== undefined;
  }

  #endWith(ending: () => void): void {
    if (this.#unread.length === 0 && !this.#isHeld) ending();
    else this.#ending = ending;
  }

  /** Reads the chunks that have arrived. Stops while the answer may not use more memory. */
  #readOn(): void {
    while (this.#unread.length > 0) {
      const chunk = this.#unread[0]!;
      if (this.#isHeld || this.#isDelayed(chunk)) {
        this.#countMemory();
        return this.#serveWaiting();
      }
      this.#unread.shift();
      this.#unreadBytes -= chunk.length;
      this.take(chunk);
      if (this.over) return;
      this.#countMemory();
    }
    this.#ending?.();
    if (this.over) return;
    this.#connection?.resume();
    this.#serveWaiting();
  }

  #countMemory(): void {
    this.answer?.hold(this.#unreadBytes + this.pendingBytes);
  }

  /** Returns whether the chunk must wait for memory. Then it is read later. */
  #isDelayed(chunk: Buffer): boolean {
    const room = this.answer?.room(GROWTH * chunk.length);
    if (room === undefined) return false;
    this.#isHeld = true;
    this.#connection?.pause();
    room.then(
      () => {
        this.#isHeld = false;
        if (!this.over && this.#isWanted) this.#readOn();
      },
      (error: ProviderError) => this.fail(error),
    );
    return true;
  }

  /** Passes the values, an error or the end to a waiting caller. */
  #serveWaiting(): void {
    if (this.#ready.length > 0 && this.#isFresh) {
      this.#isFresh = false;
      this.#firstValues.resolve();
    }
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    if (this.#ready.length > 0) {
      waiting.resolve({ done: false, value: this.#ready });
      this.#ready = [];
    } else if (this.#failure !== undefined) {
      waiting.reject(this.#failure);
      this.#failure = undefined;
    } else if (this.over) waiting.resolve({ done: true, value: undefined });
    else return;
    this.#waiting = undefined;
  }
}
