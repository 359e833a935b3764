/** Defines the error for an upstream's answer that reports a failure with its usage. */
import { ProviderError } from '../domain/provider-error.ts';
import type { DialectObject } from './dialect-adapter.ts';

/** An answer that reports its own failure, with the usage that the vendor counted, if any. */
export class FailedAnswerError extends ProviderError {
  /** The answer's `id`, `usage` and `service_tier`, checked like those of any answer. */
  readonly answer: DialectObject;

  constructor(failure: ProviderError, answer: DialectObject) {
    const { code, status, sent, retryable, retryAfterMs, publicMessage, cause } = failure;
    super({ code, status, sent, retryable, retryAfterMs, publicMessage, cause });
    this.name = 'FailedAnswerError';
    this.answer = answer;
  }
}
