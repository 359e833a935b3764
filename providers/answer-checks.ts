/** Provides checks that all adapters apply to the JSON of a vendor. */
import { type Fields, isFields } from '../domain/fields.ts';
import type { ProviderError } from '../domain/provider-error.ts';
import { invalidResponse } from './transport-failure.ts';
import { statesError, unlisted } from './error-fields.ts';
import { inBandError } from './vendor-error.ts';

/** Returns the error that an answer holds: `{ error: … }`, vLLM's older `{ object: "error", … }`, or one like them. */
export function errorIn(body: Fields, secrets: readonly string[]): ProviderError | undefined {
  return statesError(body) ? inBandError(body, secrets) : undefined;
}

/** Returns the object of an answer. Throws ProviderError, also for the error that the answer states. */
export function answerOf(value: unknown, secrets: readonly string[]): Fields {
  const answer = objectOf(value);
  const error = errorIn(answer, secrets);
  if (error !== undefined) throw error;
  return answer;
}

/** Returns the error for a JSON body in place of a stream or a file: the error that it states, if any. */
export function errorOfBody(text: string, secrets: readonly string[], errorOf = errorIn): ProviderError {
  try {
    const error = errorOf(objectOf(JSON.parse(text)), secrets);
    return error ?? invalidResponse(200, new Error('JSON that is no stream'));
  } catch (cause) {
    return invalidResponse(200, cause);
  }
}

/** The longest event of a stream whose facts are not checked, and the longest fact of a longer event. */
const MAX_FACT_LENGTH = 4_096;

/**
 * Removes facts that are too long, such as an id of many kilobytes, from an event of this length. The gateway keeps the
 * facts of each stream until it is billed.
 */
export function dropLongFacts(eventLength: number, holder: Fields, names: readonly string[]): void {
  if (eventLength <= MAX_FACT_LENGTH) return;
  for (const name of names) {
    if (name in holder && JSON.stringify(holder[name]).length > MAX_FACT_LENGTH) delete holder[name];
  }
}

/** Returns the value if it is a JSON object, or a list with nothing but one. Throws ProviderError. */
export function objectOf(value: unknown): Fields {
  const object = unlisted(value);
  if (isFields(object)) return object;
  throw malformedAnswer('no object');
}

/** Returns the error for an answer of the wrong shape. */
export function malformedAnswer(what: string): ProviderError {
  return invalidResponse(200, new Error(`an answer with ${what}`));
}
