/** Sends the JSON requests of Google's video APIs, and tells what their refusals mean. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ZodType } from 'zod';
import type { ProviderError } from '../../../domain/provider-error.ts';
import type { CallContext } from '../../call-context.ts';
import { parseErrorFields } from '../../error-fields.ts';
import type { ProviderCall, ProviderHttp, TextAnswer } from '../../http.ts';
import { scrubVendorText } from '../../public-message.ts';
import { refusedContent } from '../../refused-content.ts';
import { invalidResponse } from '../../transport-failure.ts';
import { vendorError } from '../../vendor-error.ts';

const UNKNOWN_INTERACTION = /^Invalid interaction name\b/i;
/** Matches the codes of a filter, as a whole: a refused key has a code such as `API_KEY_SERVICE_BLOCKED`. */
const FILTERED_CODE = /^(IMAGE_)?(SAFETY|PROHIBITED_CONTENT|BLOCKLIST|SPII)$/i;
const FILTERED_MESSAGE = /\bblocked\b[^.]*\b(safety|polic(y|ies))\b|\bviolates?\b[^.]*\bpolic(y|ies)\b/i;

/** Returns the parsed answer. Throws ProviderError for a refusal, and for an answer of another shape. */
export async function exchangeJson<T>(
  http: ProviderHttp,
  call: ProviderCall,
  schema: ZodType<T>,
  secrets: readonly (string | undefined)[],
  context: CallContext,
): Promise<{ value: T; headers: IncomingHttpHeaders }> {
  const answer = await http.request(call, context);
  if (answer.status >= 300) throw refusalOf(answer, secrets);
  try {
    const value = schema.parse(answer.text === '' ? null : JSON.parse(answer.text));
    return { value, headers: answer.headers };
  } catch (cause) {
    throw invalidResponse(answer.status, cause);
  }
}

function refusalOf(answer: TextAnswer, secrets: readonly (string | undefined)[]): ProviderError {
  if (answer.status !== 400) return vendorError(answer, secrets);
  const { message = '', code = '' } = parseErrorFields(answer.text);
  if (UNKNOWN_INTERACTION.test(message)) return vendorError({ ...answer, status: 404 }, secrets);
  if (!FILTERED_CODE.test(code) && !FILTERED_MESSAGE.test(message)) return vendorError(answer, secrets);
  return refusedContent('a filter', { status: 400, publicMessage: scrubVendorText(message, secrets) });
}
