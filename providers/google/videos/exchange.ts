/** Sends the JSON requests of Google's video APIs, and tells what their refusals mean. */
import type { IncomingHttpHeaders } from 'node:http';
import type { ZodType } from 'zod';
import { ProviderError } from '../../../domain/provider-error.ts';
import { OutboundResponseTooLargeError } from '../../../platform/outbound-error.ts';
import type { CallContext } from '../../call-context.ts';
import { parseErrorFields } from '../../error-fields.ts';
import type { ProviderCall, ProviderHttp, TextAnswer } from '../../http.ts';
import { PUBLIC_MESSAGES, scrubVendorText } from '../../public-message.ts';
import { invalidResponse } from '../../transport-failure.ts';
import { vendorError } from '../../vendor-error.ts';
import type { VideoStatus } from '../../video-adapter.ts';

export const FAILED_MESSAGE = 'The provider could not generate the video';
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

/** Returns the status of a job, which has failed if its answer is too large to be read. */
export async function readableStatus(read: () => Promise<VideoStatus>): Promise<VideoStatus> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ProviderError && error.cause instanceof OutboundResponseTooLargeError)
      return { state: 'failed', vendorStatus: 'result_too_large', publicMessage: FAILED_MESSAGE };
    throw error;
  }
}

function refusalOf(answer: TextAnswer, secrets: readonly (string | undefined)[]): ProviderError {
  if (answer.status !== 400) return vendorError(answer, secrets);
  const { message = '', code = '' } = parseErrorFields(answer.text);
  if (UNKNOWN_INTERACTION.test(message)) return vendorError({ ...answer, status: 404 }, secrets);
  if (!FILTERED_CODE.test(code) && !FILTERED_MESSAGE.test(message)) return vendorError(answer, secrets);
  return new ProviderError({
    code: 'content_policy',
    status: 400,
    sent: true,
    retryable: false,
    publicMessage: scrubVendorText(message, secrets) || PUBLIC_MESSAGES.content_policy,
  });
}
