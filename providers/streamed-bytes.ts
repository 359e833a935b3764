import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { ProviderError } from '../domain/provider-error.ts';
import { StreamedExchange } from './streamed-exchange.ts';
import type { ExchangeOptions } from './text-exchange.ts';
import { invalidResponse } from './transport-failure.ts';

/** What a file has to be. */
export interface BytesReader {
  /** Whether an answer of this type is the file that was asked for; the type is empty when the vendor names none. */
  accepts(contentType: string): boolean;
  /** A JSON body in its place: the error to fail with. */
  readBody(text: string): ProviderError;
}

/** An exchange whose answer is a file, handed on as it comes and never copied. */
export class StreamedBytes extends StreamedExchange<Buffer> {
  readonly #reader: BytesReader;
  #requestId: string | undefined;

  constructor(options: ExchangeOptions, reader: BytesReader) {
    super(options);
    this.#reader = reader;
  }

  /** The vendor's own id of the exchange, as most of them put it into a header. */
  get upstreamId(): string | undefined {
    return this.#requestId;
  }

  override onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    super.onResponseStart(controller, status, headers);
    const requestId = headers['x-request-id'];
    if (typeof requestId === 'string') this.#requestId = requestId;
    if (!this.isStream || this.#reader.accepts(this.contentType)) return;
    this.fail(invalidResponse(status, new Error('a file of another type')));
  }

  override onResponseEnd(): void {
    if (!this.isStream) return super.onResponseEnd();
    if (this.over) return;
    if (this.isEmpty) this.fail(invalidResponse(this.status, new Error('an empty file')));
    else this.finish();
  }

  protected override take(chunk: Buffer): void {
    this.hold(chunk);
  }

  protected override answered(body: Buffer): void {
    this.fail(this.#reader.readBody(body.toString('utf8')));
  }
}
