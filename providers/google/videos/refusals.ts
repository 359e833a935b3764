/** Tells what the refusals of Google's video APIs mean. */
import type { ProviderError } from '../../../domain/provider-error.ts';
import { parseErrorFields } from '../../error-fields.ts';
import { scrubVendorText } from '../../public-message.ts';
import { refusedContent } from '../../refused-content.ts';
import { vendorError, type VendorRefusal } from '../../vendor-error.ts';

const UNKNOWN_INTERACTION = /^Invalid interaction name\b/i;
/** Matches the codes of a filter, as a whole: a refused key has a code such as `API_KEY_SERVICE_BLOCKED`. */
const FILTERED_CODE = /^(IMAGE_)?(SAFETY|PROHIBITED_CONTENT|BLOCKLIST|SPII)$/i;
const FILTERED_MESSAGE = /\bblocked\b[^.]*\b(safety|polic(y|ies))\b|\bviolates?\b[^.]*\bpolic(y|ies)\b/i;

/** Returns the error for a refusal. Its texts never contain `secrets`. */
export function refusalOf(answer: VendorRefusal, secrets: readonly (string | undefined)[]): ProviderError {
  if (answer.status !== 400) return vendorError(answer, secrets);
  const { message = '', code = '' } = parseErrorFields(answer.text);
  if (UNKNOWN_INTERACTION.test(message)) return vendorError({ ...answer, status: 404 }, secrets);
  if (!FILTERED_CODE.test(code) && !FILTERED_MESSAGE.test(message)) return vendorError(answer, secrets);
  return refusedContent('a filter', { status: 400, publicMessage: scrubVendorText(message, secrets) });
}
