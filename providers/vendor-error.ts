/** Converts the error answers of vendors to provider errors. */
import type { IncomingHttpHeaders } from 'node:http';
import { ProviderError, type ProviderErrorCode, type ProviderErrorFacts } from '../domain/provider-error.ts';
import { statusOfAwsError, withAwsCode } from './aws-error.ts';
import { type ErrorFields, LOOP_DETECTED, parseErrorFields, readErrorFields } from './error-fields.ts';
import { saysAccountIsExhausted } from './exhausted-account.ts';
import { saysModelIsGone } from './gone-model.ts';
import { PUBLIC_MESSAGES, scrubVendorText } from './public-message.ts';
import { parseRetryAfter } from './retry-after.ts';

/** An answer with an error status: the status, its headers and the part of its body that was read. */
export interface VendorRefusal {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/**
 * The statuses for error codes that come without a status. The codes are those of OpenAI, Anthropic, vLLM and others on
 * their wires.
 */
const STATUS_BY_CODE: Record<string, number> = {
  invalid_request_error: 400,
  BadRequestError: 400,
  context_length_exceeded: 400,
  content_filter: 400,
  content_policy_violation: 400,
  // Codes of a failed response (openai-node, `src/resources/responses/responses.ts`, `ResponseError`).
  invalid_prompt: 400,
  bio_policy: 400,
  image_content_policy_violation: 400,
  invalid_image: 400,
  invalid_image_format: 400,
  invalid_base64_image: 400,
  invalid_image_url: 400,
  invalid_image_mode: 400,
  image_too_large: 400,
  image_too_small: 400,
  image_parse_error: 400,
  image_file_too_large: 400,
  image_file_not_found: 400,
  empty_image_file: 400,
  unsupported_image_media_type: 400,
  failed_to_download_image: 400,
  authentication_error: 401,
  invalid_api_key: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  model_not_found: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  billing_hard_limit_reached: 429,
  timeout_error: 504,
  overloaded_error: 529,
  // The reason of another gateway of this kind, which every dialect has in `metadata`.
  [LOOP_DETECTED]: 508,
};
const MAX_CAUSE_CHARACTERS = 2_000;

/** The codes with which OpenAI, Azure, Alibaba and Z.ai (docs.z.ai/api-reference/api-code) refuse content. */
const CONTENT_POLICY_CODES = new Set([
  'moderation_blocked',
  'content_policy_violation',
  'content_filter',
  'content_filtered',
  'bio_policy',
  'image_content_policy_violation',
  'data_inspection_failed',
  '1301',
]);
/** The reasons of Google for a key that it does not accept, under the status 400. */
const REFUSED_KEY_CODES = new Set(['API_KEY_INVALID', 'API_KEY_EXPIRED']);
/** Matches the message with which Claude on Bedrock refuses content, under the status 400 and no code of its own. */
const REFUSES_CONTENT = /\bblocked by content filtering policy\b/i;
/** The codes of Groq for an answer of the model that is no call or no JSON, under the status 400. */
const FAILED_ANSWER_CODES = new Set(['tool_use_failed', 'json_validate_failed']);
/** Matches the message of Nvidia for a model that does not work at the moment, under the status 400. */
const DEGRADED = /^Function id '[^']*': DEGRADED function cannot be invoked\b/i;
const RETRYABLE = new Set<ProviderErrorCode>(['rate_limited', 'overloaded', 'server_error', 'timeout']);
/** The codes of errors about the customer's request, for which the vendor's message may be shown. */
const ABOUT_THE_REQUEST = new Set<ProviderErrorCode>(['invalid_request', 'content_policy']);

/** Returns the error for an answer with a status of 300 or more. Its texts never contain `secrets`. */
export function vendorError(
  { status, headers, text }: VendorRefusal,
  secrets: readonly (string | undefined)[],
): ProviderError {
  const fields = withAwsCode(parseErrorFields(text), headers);
  const retryAfterMs = parseRetryAfter(headers, Date.now()) ?? fields.retryAfterMs;
  const isModelGone = saysModelIsGone(status, fields);
  const code = isModelGone ? 'not_found' : errorCode(statusOfAwsError(fields.code) ?? status, fields);
  return asError({ code, status, text, retryAfterMs, isModelGone }, fields, secrets);
}

/**
 * Returns the error within an answer that began as a success (`{ "error": … }` in a 200, or an event of a stream). Some
 * errors contain a status as a number in `code`. The status of the others follows from their code or type.
 */
export function inBandError(body: object, secrets: readonly (string | undefined)[]): ProviderError {
  return asInBandError(readErrorFields(body), JSON.stringify(body), secrets);
}

/** Returns the error of an event that is named `error`. Its data may be a plain message. */
export function errorEvent(data: string, secrets: readonly (string | undefined)[]): ProviderError {
  return asInBandError(parseErrorFields(data), data, secrets);
}

function asInBandError(
  fields: ErrorFields,
  text: string,
  secrets: readonly (string | undefined)[],
): ProviderError {
  const { status } = fields;
  const meant = status ?? STATUS_BY_CODE[fields.code ?? ''] ?? statusOfAwsError(fields.code) ?? 500;
  const isModelGone = saysModelIsGone(meant, fields);
  const code = isModelGone ? 'not_found' : errorCode(meant, fields);
  const { retryAfterMs } = fields;
  const known = { code, status, text: text.slice(0, MAX_CAUSE_CHARACTERS), retryAfterMs, isModelGone };
  return asError(known, fields, secrets);
}

function asError(
  facts: Pick<ProviderErrorFacts, 'code' | 'status' | 'retryAfterMs' | 'isModelGone'> & { text: string },
  fields: ErrorFields,
  secrets: readonly (string | undefined)[],
): ProviderError {
  const { text, ...known } = facts;
  const scrubbed = scrubVendorText(fields.message ?? '', secrets);
  const shownMessage = ABOUT_THE_REQUEST.has(known.code) ? scrubbed : '';
  const where = known.status === undefined ? 'in an answer:' : `HTTP ${known.status}`;
  return new ProviderError({
    ...known,
    sent: true,
    retryable: RETRYABLE.has(known.code),
    publicMessage: shownMessage === '' ? PUBLIC_MESSAGES[known.code] : shownMessage,
    vendorMessage: (fields.isErrorMessage && scrubbed) || undefined,
    cause: new Error(scrubVendorText(`${where} ${fields.code ?? ''} ${fields.message ?? text}`, secrets)),
  });
}

function errorCode(status: number, fields: ErrorFields): ProviderErrorCode {
  const { code = '', message = '' } = fields;
  if (status >= 400 && status < 500 && CONTENT_POLICY_CODES.has(code)) return 'content_policy';
  if (status === 400) {
    if (REFUSES_CONTENT.test(message)) return 'content_policy';
    if (FAILED_ANSWER_CODES.has(code)) return 'server_error';
    if (DEGRADED.test(message)) return 'overloaded';
  }
  if (REFUSED_KEY_CODES.has(code) || saysAccountIsExhausted(fields)) return 'unauthorized';
  return codeOfStatus(status);
}

function codeOfStatus(status: number): ProviderErrorCode {
  switch (status) {
    case 401:
    case 402:
    case 403:
      return 'unauthorized';
    case 404:
    case 410:
      return 'not_found';
    case 408:
    case 504:
    case 524:
      return 'timeout';
    case 409:
      return 'conflict';
    case 429:
      return 'rate_limited';
    case 499:
      return 'connection_lost';
    case 508:
      return LOOP_DETECTED;
    case 503:
    case 529:
      return 'overloaded';
  }
  if (status >= 500) return 'server_error';
  return status >= 400 ? 'invalid_request' : 'invalid_response';
}
