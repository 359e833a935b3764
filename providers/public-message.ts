/** Writes error messages about providers that customers may see, free of secrets. */
import type { ProviderErrorCode } from '../domain/provider-error.ts';
import { redactText } from '../platform/redact.ts';
import { spellingsOf } from '../platform/secret-spellings.ts';

/** The messages for customers. They reveal nothing about the operator's account, addresses or credentials. */
export const PUBLIC_MESSAGES: Record<ProviderErrorCode, string> = {
  not_connected: 'The provider could not be reached',
  connection_lost: 'The connection to the provider was lost',
  timeout: 'The provider did not answer in time',
  aborted: 'The request to the provider was stopped',
  rate_limited: 'The provider is limiting requests',
  overloaded: 'The provider is overloaded',
  server_error: 'The provider had an internal error',
  invalid_request: 'The provider refused the request',
  unauthorized: 'The provider refused the credential of this service',
  not_found: 'The provider does not have the requested resource',
  conflict: 'The request conflicts with the state of the job at the provider',
  content_policy: 'The provider refused the content',
  loop_detected: 'The request came back to a gateway that it had passed before',
  invalid_response: 'The provider gave an answer that could not be understood',
};

const MAX_CHARACTERS = 500;
/** The most characters that are searched: the patterns take quadratic time on some texts. */
const MAX_SEARCHED_CHARACTERS = 2_000;

/**
 * Cleans a vendor's message for customers: removes keys, addresses, account names and control characters, and limits
 * its length. Returns an empty text if nothing is left. `secrets` are the credentials that were sent.
 */
export function scrubVendorText(text: string, secrets: readonly (string | undefined)[]): string {
  let clean = text;
  for (const spelling of secrets.flatMap((secret) => spellingsOf(secret ?? ''))) {
    clean = clean.replaceAll(spelling, '[redacted]');
  }
  clean = redactText(clean.slice(0, MAX_SEARCHED_CHARACTERS))
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '[link]')
    .replace(/[\w.+-]+@[\w-]+(\.[\w-]+)+/g, '[address]')
    .replace(/\b(org|organization|proj|project|acct|user)[-_][A-Za-z0-9]{6,}\b/g, '[account]')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  const characters = Array.from(clean);
  return characters.length <= MAX_CHARACTERS ? clean : `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`;
}
