/** Provides checks that all adapters apply to the JSON of a vendor. */
import type { ProviderError } from '../domain/provider-error.ts';
import { invalidResponse } from './transport-failure.ts';
import { inBandError } from './vendor-error.ts';

type Fields = Record<string, unknown>;

/** Returns the error that an answer holds: `{ error: … }`, or vLLM's older `{ object: "error", … }`. */
export function errorIn(body: Fields, secret: string | undefined): ProviderError | undefined {
  const { error } = body;
  if ((error === undefined || error === null) && body['object'] !== 'error') return undefined;
  return inBandError(body, [secret]);
}

/** Returns the value if it is a JSON object. Throws ProviderError. */
export function objectOf(value: unknown): Fields {
  if (isObject(value)) return value;
  throw malformedAnswer('no object');
}

/** Returns the error for an answer of the wrong shape. */
export function malformedAnswer(what: string): ProviderError {
  return invalidResponse(200, new Error(`an answer with ${what}`));
}

/** Returns whether the value is a JSON object. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
