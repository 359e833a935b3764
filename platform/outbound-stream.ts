/** Reads the response of an outbound request chunk by chunk, with limits and backpressure. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { withoutRest } from './collected-bytes.ts';
import { OutboundResponseTooLargeError, OutboundTimeoutError, toOutboundError } from './outbound-error.ts';

/**
 * The most bytes and chunks that wait for the reader; beyond them the endpoint is paused. Chunks are limited too,
 * because one of a single byte takes a hundred bytes of memory.
 */
const MAX_UNREAD_BYTES = 64 * 1024;
const MAX_UNREAD_CHUNKS = 1_024;

export interface StreamLimits {
  /** The time from the call to the last byte of the body. */
  timeoutMs: number;
  /** The largest body, independent of the Content-Length. */
  maxResponseBytes: number;
  signal: AbortSignal;
}

export interface ResponseHead {
  status: number;
  headers: IncomingHttpHeaders;
}

/**
 * A response whose body is read as it arrives, without Node's streams, which cost more than a short exchange itself.
 * Errors are the guard's own, or the reason of the signal.
 */
export class OutboundStream implements Dispatcher.DispatchHandler {
  readonly #head = Promise.withResolvers<ResponseHead>();
  readonly #limits: StreamLimits;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #ready: Buffer[] = [];
  #unreadBytes = 0;
  #bytes = 0;
  #isOver = false;
  #failure: { error: unknown } | undefined;
  #waiting: PromiseWithResolvers<void> | undefined;

  constructor(limits: StreamLimits) {
    this.#limits = limits;
    const { timeoutMs, signal } = limits;
    // A failure must not end the process before a caller waits for the head.
    this.#head.promise.catch(() => {});
    this.#timer = setTimeout(() => this.#fail(new OutboundTimeoutError(timeoutMs)), timeoutMs);
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Resolves with status and headers. */
  get head(): Promise<ResponseHead> {
    return this.#head.promise;
  }

  /** True: the whole body has arrived and was taken. */
  get isOver(): boolean {
    return this.#isOver && this.#failure === undefined && this.#ready.length === 0;
  }

  /** Returns the chunks that arrived and were not taken yet. Throws if the exchange has failed and no chunk is left. */
  take(): Buffer[] {
    const chunks = this.#ready;
    if (chunks.length === 0 && this.#failure !== undefined) throw this.#failure.error;
    this.#ready = [];
    this.#unreadBytes = 0;
    this.#controller?.resume();
    return chunks;
  }

  /** Returns the whole body if it has arrived, no part was taken, and it is not larger than `maxBytes`. */
  takeWhole(maxBytes: number): Buffer | undefined {
    const isWhole = this.#isOver && this.#failure === undefined && this.#unreadBytes === this.#bytes;
    return isWhole && this.#bytes <= maxBytes ? Buffer.concat(this.take()) : undefined;
  }

  /** Resolves when chunks can be taken, or when the exchange has ended. */
  more(): Promise<void> {
    if (this.#ready.length > 0 || this.#isOver) return Promise.resolve();
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  /** Closes the connection unless the whole body has arrived. */
  close(): void {
    if (!this.#isOver) this.#fail(new Error('the reader stopped reading'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(new Error('given up'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200 || this.#isOver) return;
    this.#head.resolve({ status, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    const { maxResponseBytes } = this.#limits;
    this.#bytes += chunk.length;
    if (this.#bytes > maxResponseBytes)
      return this.#fail(new OutboundResponseTooLargeError(maxResponseBytes));
    this.#ready.push(withoutRest(chunk));
    this.#unreadBytes += chunk.length;
    const isFull = this.#unreadBytes > MAX_UNREAD_BYTES || this.#ready.length >= MAX_UNREAD_CHUNKS;
    if (isFull) controller.pause();
    this.#wake();
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(toOutboundError(error, { sent: true }));
  }

  readonly #onAbort = (): void => this.#fail(this.#limits.signal.reason);

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#failure = { error };
    this.#head.reject(error);
    this.#end();
    this.#controller?.abort(new Error('given up'));
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#limits.signal.removeEventListener('abort', this.#onAbort);
    this.#wake();
  }

  #wake(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}
