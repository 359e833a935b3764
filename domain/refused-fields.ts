/** Recognizes refusals in which a vendor names the fields that it does not take. */
import { ProviderError } from './provider-error.ts';

/** Matches the words with which vendors refuse a field itself, and not its value. */
const REFUSES_FIELD =
  /\b(?:unknown|unrecogni[sz]ed|unsupported|unexpected|extra|extraneous|additional|cannot find|only allowed|not (?:a valid field|supported|permitted|allowed|recogni[sz]ed|support))\b/i;

/** Returns those of the names that a refusal names as fields. */
export function refusedFields<Name extends string>(error: unknown, names: readonly Name[]): Name[] {
  if (!(error instanceof ProviderError) || error.code !== 'invalid_request' || !error.sent) return [];
  const { publicMessage, cause } = error;
  // The cause has the whole answer if its message is in an unknown place.
  const text = cause instanceof Error ? `${publicMessage} ${cause.message}` : publicMessage;
  if (!REFUSES_FIELD.test(text)) return [];
  return names.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
}
