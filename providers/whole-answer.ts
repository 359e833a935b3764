/** Receives the complete JSON answer of an upstream. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { ProviderError } from '../domain/provider-error.ts';
import { tooLong } from './answer-allowance.ts';
import { checkStructure } from './check-structure.ts';
import { type ExchangeOptions, TextExchange } from './text-exchange.ts';
import { invalidResponse } from './transport-failure.ts';

/** Parses an answer. An error means that the answer is invalid. */
export type ParseAnswer = (body: Buffer, headers: IncomingHttpHeaders) => unknown;

/**
 * An exchange with one JSON value as its answer. Its memory stays counted until the request ends, because the parsed
 * answer, or the text that the caller gets, takes its place.
 */
export class WholeAnswer extends TextExchange {
  readonly #parse: ParseAnswer;
  readonly #settled = Promise.withResolvers<unknown>();
  #received: IncomingHttpHeaders = {};

  constructor(options: ExchangeOptions, parse: ParseAnswer = parseText) {
    super(options);
    this.#parse = parse;
  }

  /** Resolves with the answer. Fails with ProviderError. */
  get value(): Promise<unknown> {
    return this.#settled.promise;
  }

  override onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    super.onResponseStart(controller, status, headers);
    this.#received = headers;
    if (this.over || this.refused) return;
    const { maxBytes } = this.answer!;
    if (Number(headers['content-length']) > maxBytes) this.fail(tooLong(maxBytes));
  }

  protected override answered(body: Buffer): void {
    try {
      checkStructure(body);
      this.#settled.resolve(this.#parse(body, this.#received));
    } catch (cause) {
      return this.fail(invalidResponse(this.status, cause));
    }
    this.end();
  }

  protected override failed(error: ProviderError): void {
    this.#settled.reject(error);
  }
}

function parseText(body: Buffer): unknown {
  return JSON.parse(body.toString('utf8'));
}
