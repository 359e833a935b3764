/** Receives the complete JSON answer of an upstream. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Fields } from '../domain/fields.ts';
import { ProviderError } from '../domain/provider-error.ts';
import { tooLong } from './answer-allowance.ts';
import { answerOf } from './answer-checks.ts';
import { checkStructure } from './check-structure.ts';
import { type ExchangeOptions, TextExchange } from './text-exchange.ts';
import { invalidResponse } from './transport-failure.ts';

/** Reads the answer to one request. */
export interface AnswerReader<T> {
  /** Reads the headers of the answer, before its body. */
  begin?(headers: IncomingHttpHeaders): void;
  /**
   * Reads the body. Throws ProviderError, without the secrets, for an error that it states, and another error for an
   * invalid answer. Absent: the answer is a JSON object.
   */
  read?(body: Buffer, secrets: readonly string[]): T;
}

/**
 * An exchange with one JSON value as its answer. Its memory stays counted until the request ends, because the parsed
 * answer, or the text that the caller gets, takes its place.
 */
export class WholeAnswer<T> extends TextExchange {
  readonly #reader: AnswerReader<T>;
  readonly #settled = Promise.withResolvers<T>();
  #received: IncomingHttpHeaders = {};

  constructor(options: ExchangeOptions, reader: AnswerReader<T>) {
    super(options);
    this.#reader = reader;
  }

  /** Resolves with the answer. Fails with ProviderError. */
  get value(): Promise<T> {
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
      const { begin, read = readObject } = this.#reader;
      begin?.(this.#received);
      this.#settled.resolve(read(body, this.secrets) as T);
    } catch (error) {
      return this.fail(error instanceof ProviderError ? error : invalidResponse(this.status, error));
    }
    this.end();
  }

  protected override failed(error: ProviderError): void {
    this.#settled.reject(error);
  }
}

function readObject(body: Buffer, secrets: readonly string[]): Fields {
  return answerOf(JSON.parse(body.toString('utf8')), secrets);
}
