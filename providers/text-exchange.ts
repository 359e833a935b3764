/** Sends one request to an upstream, with timeout, cancellation and one retry on a stale connection. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ProviderError } from '../domain/provider-error.ts';
import { CollectedBytes } from '../platform/collected-bytes.ts';
import { type AnswerAllowance, tooLong } from './answer-allowance.ts';
import { withoutMark } from './byte-order-mark.ts';
import { isStaleConnection, NotConnectedError } from './provider-connection.ts';
import { PUBLIC_MESSAGES } from './public-message.ts';
import type { NoteRepair } from './repairs.ts';
import { hasBentWait } from './retry-after.ts';
import { transportFailure } from './transport-failure.ts';
import { vendorError } from './vendor-error.ts';

/** The largest part of an error that is read. */
const MAX_ERROR_BYTES = 64 * 1024;

/** The time within which the loss of a stale connection shows. It takes a round trip to the vendor. */
const STALE_WITHIN_MS = 1_000;

const NO_BYTES = Buffer.alloc(0);

export interface ExchangeOptions {
  signal: AbortSignal;
  /** The time until the answer is complete, or until the first byte of a stream. */
  timeoutMs: number;
  /** The secrets that errors must not contain. */
  secrets: readonly string[];
  answer: AnswerAllowance;
  /** Counts what is repaired in a refusal. */
  note: NoteRepair;
}

/**
 * Sends one POST through undici's bare handler. This is the hot path, so it uses no stream object for a body of a few
 * hundred bytes, no chain of signals, and one timer. docs/benchmarks.md compares it with `dispatcher.request`,
 * `AbortSignal.any` and `AbortSignal.timeout`.
 *
 * The first event that ends the exchange decides its outcome. A caller's abort or a timeout closes the connection at
 * once.
 */
export abstract class TextExchange implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #secrets: readonly string[];
  readonly #note: NoteRepair;
  #timer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #dispatcher: Dispatcher | undefined;
  /** The request, as long as it may be sent again. */
  #request: Dispatcher.DispatchOptions | undefined;
  #sentAtMs = 0;
  #sent = false;
  /** The error by which a stale connection was lost. */
  #loss: Error | undefined;
  #over = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #body: CollectedBytes | undefined;
  #answer: AnswerAllowance | undefined;

  constructor(options: ExchangeOptions) {
    this.#signal = options.signal;
    this.#secrets = options.secrets;
    this.#note = options.note;
    this.#answer = options.answer;
    // The exchange itself is the argument, which avoids a closure for each exchange.
    this.#timer = setTimeout(onTimeout, options.timeoutMs, this);
    options.signal.addEventListener('abort', this);
  }

  /**
   * Sends the request. If a reused connection ends without a byte of an answer, the vendor most likely closed it when
   * idle. The request is then sent once more over a new connection, within the same timeout. Requests that are lost
   * later, or on a new connection, are not repeated, because the vendor may have done the work (ADR 0031).
   */
  send(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions): void {
    this.#dispatcher = dispatcher;
    this.#request = request;
    this.#sentAtMs = performance.now();
    dispatcher.dispatch(request, this);
  }

  /** Handles the abort of the caller's signal. */
  handleEvent(): void {
    this.fail(aborted(this.#signal, this.#sent));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The exchange ended while it waited for a connection, so nothing is sent.
    if (this.#over) controller.abort(new Error('given up'));
    else this.#sent = true;
  }

  /** Called on the first byte of an answer, before its head is complete. */
  onResponseStarted(): void {
    this.#request = undefined;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return;
    const body = (this.#body ??= new CollectedBytes());
    body.add(chunk);
    if (this.refused) {
      if (body.length > MAX_ERROR_BYTES) this.fail(this.#refusal());
      return;
    }
    const answer = this.#answer!;
    if (body.length > answer.maxBytes) return this.fail(tooLong(answer.maxBytes));
    answer.hold(body.length);
    const room = answer.room();
    if (room === undefined) return;
    controller.pause();
    room.then(
      () => controller.resume(),
      (error: ProviderError) => this.fail(error),
    );
  }

  onResponseEnd(): void {
    if (this.#over) return;
    if (this.refused) this.fail(this.#refusal());
    else this.answered(this.#bytes());
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#over) return;
    const wasStale = performance.now() - this.#sentAtMs < STALE_WITHIN_MS && isStaleConnection(error);
    if (this.#request !== undefined && wasStale) return this.#sendAgain(this.#request, error);
    // The status of the refusal has arrived; only its message is lost.
    if (this.refused) this.fail(this.#refusal());
    else this.fail(transportFailure(this.#reasonOf(error), { signal: this.signal, sent: this.#sent }));
  }

  /** Fails the exchange and closes its connection. Only the first failure counts. */
  fail(error: ProviderError): void {
    if (this.#over) return;
    this.answer?.release();
    this.end();
    this.#controller?.abort(error);
    this.failed(error);
  }

  /** Returns whether the request was sent, which happens as soon as it has a connection. */
  get sent(): boolean {
    return this.#sent;
  }

  /** The memory of the answer; undefined after the end. */
  protected get answer(): AnswerAllowance | undefined {
    return this.#answer;
  }

  /** The secrets that errors must not contain. */
  protected get secrets(): readonly string[] {
    return this.#secrets;
  }

  protected get signal(): AbortSignal {
    return this.#signal;
  }

  protected get over(): boolean {
    return this.#over;
  }

  protected get status(): number {
    return this.#status;
  }

  protected get contentType(): string {
    return this.#headers['content-type'] ?? '';
  }

  protected get refused(): boolean {
    return this.#status >= 300;
  }

  /** Marks the exchange as ended and releases its timer and listener. */
  protected end(): void {
    this.#over = true;
    this.#request = undefined;
    this.#body = undefined;
    // The HTTP client keeps the last exchange of each connection. It must not keep the caller's response with it.
    this.#answer = undefined;
    this.stopTimer();
    this.#signal.removeEventListener('abort', this);
  }

  protected stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Receives the complete body of an answer below 300. */
  protected abstract answered(body: Buffer): void;
  protected abstract failed(error: ProviderError): void;

  #sendAgain(request: Dispatcher.DispatchOptions, loss: Error): void {
    this.#loss = loss;
    this.#request = undefined;
    this.#controller = undefined;
    this.#dispatcher?.dispatch({ ...request, idempotent: false }, this);
  }

  /**
   * Returns the error to report. If a repeated request fails to connect, this is the first loss: the later error would
   * wrongly say that nothing was sent.
   */
  #reasonOf(error: Error): Error {
    return error instanceof NotConnectedError ? (this.#loss ?? error) : error;
  }

  #bytes(): Buffer {
    return this.#body === undefined ? NO_BYTES : withoutMark(this.#body.whole());
  }

  #refusal(): ProviderError {
    const text = this.#bytes().toString('utf8').slice(0, MAX_ERROR_BYTES);
    if (hasBentWait(this.#headers, Date.now())) this.#note('retry_after');
    return vendorError({ status: this.#status, headers: this.#headers, text }, this.#secrets);
  }
}

function onTimeout(exchange: TextExchange): void {
  const { sent } = exchange;
  exchange.fail(
    new ProviderError({ code: 'timeout', sent, retryable: true, publicMessage: PUBLIC_MESSAGES.timeout }),
  );
}

/** Returns the error for an abort by the caller. */
export function aborted(signal: AbortSignal, sent: boolean): ProviderError {
  return new ProviderError({
    code: 'aborted',
    sent,
    retryable: false,
    publicMessage: PUBLIC_MESSAGES.aborted,
    cause: signal.reason,
  });
}
