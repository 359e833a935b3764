/** Limits the size of one answer of an upstream, and the memory that it may use. */
import type { AppError } from '../domain/errors.ts';
import { ProviderError } from '../domain/provider-error.ts';
import { type AnswerInFlight, SMALL_ANSWER_BYTES } from '../platform/answers-in-flight.ts';
import { PUBLIC_MESSAGES } from './public-message.ts';
import { invalidResponse } from './transport-failure.ts';

/**
 * Thrown when an answer found no memory. The upstream is not at fault, and another one would not help. The caller gets
 * `callerError`.
 */
export class AnswerMemoryError extends ProviderError {
  readonly callerError: AppError;

  constructor(callerError: AppError) {
    super({
      code: 'aborted',
      sent: true,
      retryable: false,
      publicMessage: PUBLIC_MESSAGES.aborted,
      cause: callerError,
    });
    this.name = 'AnswerMemoryError';
    this.callerError = callerError;
  }
}

/** The limits of one answer, and the part of its memory that the adapter uses. */
export class AnswerAllowance {
  /** The largest whole answer, and the largest event that repeats a whole answer. */
  readonly maxBytes: number;
  /** The largest of all other events. */
  readonly maxEventBytes: number;
  readonly #memory: Pick<AnswerInFlight, 'add' | 'room'>;
  #heldBytes = 0;
  #keptBytes = 0;

  /** Creates the allowance of one attempt. `hasMedia`: the answer may carry media or vectors. */
  constructor(memory: Pick<AnswerInFlight, 'add' | 'room' | 'limits'>, hasMedia: boolean) {
    const { maxTextBytes, maxEventBytes, maxMediaBytes } = memory.limits;
    this.#memory = memory;
    this.maxBytes = hasMedia ? maxMediaBytes : maxTextBytes;
    this.maxEventBytes = hasMedia ? maxMediaBytes : Math.min(maxEventBytes, maxTextBytes);
  }

  /** Records how many bytes have arrived and were not passed on yet. */
  hold(bytes: number): void {
    if (bytes === this.#heldBytes) return;
    this.#memory.add(bytes - this.#heldBytes);
    this.#heldBytes = bytes;
  }

  /**
   * Records bytes that stay in memory until the request ends, such as the text that a translator collects. Throws
   * ProviderError when they exceed the largest answer.
   */
  keep(bytes: number): void {
    this.#keptBytes += bytes;
    this.#memory.add(bytes);
    if (this.#keptBytes > this.maxBytes) throw tooLong(this.maxBytes);
  }

  /**
   * Records that an event was passed on. A large event counts until the request ends, at most like the largest answer:
   * the gateway keeps the last picture or chunk of a stream until the next one arrives or the answer is billed.
   */
  passEvent(bytes: number): void {
    if (bytes <= SMALL_ANSWER_BYTES) return;
    this.keep(Math.min(bytes, this.maxBytes - this.#keptBytes));
  }

  /**
   * Returns undefined when the answer may grow, by `nextBytes` at first. Otherwise returns a promise that resolves when
   * it may, or rejects with AnswerMemoryError.
   */
  room(nextBytes = 0): Promise<void> | undefined {
    return this.#memory.room(nextBytes)?.catch((error: AppError) => {
      throw new AnswerMemoryError(error);
    });
  }

  /** Gives all memory of a failed attempt back. */
  release(): void {
    this.hold(0);
    this.#memory.add(-this.#keptBytes);
    this.#keptBytes = 0;
  }
}

/** Returns the error for an answer that is larger than allowed. */
export function tooLong(maxBytes: number): ProviderError {
  return invalidResponse(200, new Error(`an answer of more than ${maxBytes} bytes`));
}
