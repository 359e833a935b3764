/** Passes a file of an upstream, such as speech, to the caller as it arrives. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { ProviderError } from '../domain/provider-error.ts';
import { StreamedExchange } from './streamed-exchange.ts';
import type { ExchangeOptions } from './text-exchange.ts';
import { invalidResponse } from './transport-failure.ts';

/** Recognizes the expected file. */
export interface BytesReader {
  /** Returns whether the type is that of the requested file. The type is empty if the vendor sends none. */
  accepts(contentType: string): boolean;
  /** Returns the error for a JSON body instead of the file. */
  readBody(text: string, secrets: readonly string[]): ProviderError;
}

/** An exchange with a file as its answer, which is passed on as it arrives, without copies. */
export class StreamedBytes extends StreamedExchange<Buffer> {
  readonly #reader: BytesReader;
  #requestId: string | undefined;
  #received: IncomingHttpHeaders = {};

  constructor(options: ExchangeOptions, reader: BytesReader) {
    super(options);
    this.#reader = reader;
  }

  /** The vendor's id of the exchange, which most vendors send as a header. */
  get upstreamId(): string | undefined {
    return this.#requestId;
  }

  /** The headers of the answer. */
  get received(): IncomingHttpHeaders {
    return this.#received;
  }

  override onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    super.onResponseStart(controller, status, headers);
    this.#received = headers;
    const requestId = headers['x-request-id'];
    if (typeof requestId === 'string') this.#requestId = requestId;
    if (!this.isStream || this.#reader.accepts(this.contentType)) return;
    this.fail(invalidResponse(status, new Error('a file of another type')));
  }

  protected override bodyEnded(): void {
    if (!this.isStream) return super.bodyEnded();
    if (this.over) return;
    if (this.isEmpty) this.fail(invalidResponse(this.status, new Error('an empty file')));
    else this.finish();
  }

  protected override take(chunk: Buffer): void {
    this.hold(chunk);
  }

  protected override answered(body: Buffer): void {
    this.fail(this.#reader.readBody(body.toString('utf8'), this.secrets));
  }
}
