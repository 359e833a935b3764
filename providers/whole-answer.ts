import type { ProviderError } from '../domain/provider-error.ts';
import { TextExchange } from './text-exchange.ts';
import { invalidResponse } from './transport-failure.ts';

/** An exchange whose answer is one JSON value. */
export class WholeAnswer extends TextExchange {
  readonly #settled = Promise.withResolvers<unknown>();

  /** Fails with ProviderError. */
  get value(): Promise<unknown> {
    return this.#settled.promise;
  }

  protected override answered(text: string): void {
    try {
      this.#settled.resolve(JSON.parse(text));
    } catch (cause) {
      return this.fail(invalidResponse(this.status, cause));
    }
    this.end();
  }

  protected override failed(error: ProviderError): void {
    this.#settled.reject(error);
  }
}
