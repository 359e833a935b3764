import type { IncomingHttpHeaders } from 'node:http';
import { ProviderError, type ProviderErrorCode } from '../domain/provider-error.ts';
import { PUBLIC_MESSAGES, scrubVendorText } from './public-message.ts';
import { parseRetryAfter } from './retry-after.ts';

/** An answer that refuses: its status, its headers and as much of its body as was read. */
export interface VendorRefusal {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

interface VendorWords {
  message?: string;
  code?: string;
}

/** OpenAI's and Azure's words for "we do not make that". */
const CONTENT_POLICY_CODES = new Set([
  'moderation_blocked',
  'content_policy_violation',
  'content_filter',
  'content_filtered',
]);
/** A 429 that no waiting helps: the operator's account is out of money. */
const EXHAUSTED_CODES = new Set(['insufficient_quota', 'billing_hard_limit_reached']);
const RETRYABLE = new Set<ProviderErrorCode>(['rate_limited', 'overloaded', 'server_error', 'timeout']);
/** Only for these may the customer read the vendor's own words: they are about the customer's request. */
const ABOUT_THE_REQUEST = new Set<ProviderErrorCode>(['invalid_request', 'content_policy']);

/** An answer of 300 or more as the error to throw. `secrets` never appear in it. */
export function vendorError(
  { status, headers, text }: VendorRefusal,
  secrets: readonly (string | undefined)[],
): ProviderError {
  const words = readWords(text);
  const code = errorCode(status, words);
  const said = ABOUT_THE_REQUEST.has(code) ? scrubVendorText(words.message ?? '', secrets) : '';
  const retryAfterMs = parseRetryAfter(headers, Date.now());
  return new ProviderError({
    code,
    status,
    retryable: RETRYABLE.has(code) && !EXHAUSTED_CODES.has(words.code ?? ''),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    publicMessage: said === '' ? PUBLIC_MESSAGES[code] : said,
    cause: new Error(scrubVendorText(`HTTP ${status} ${words.code ?? ''} ${words.message ?? text}`, secrets)),
  });
}

function errorCode(status: number, words: VendorWords): ProviderErrorCode {
  if (status >= 400 && status < 500 && CONTENT_POLICY_CODES.has(words.code ?? '')) return 'content_policy';
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
    case 503:
    case 529:
      return 'overloaded';
  }
  if (status >= 500) return 'server_error';
  return status >= 400 ? 'invalid_request' : 'invalid_response';
}

/** `{ error: { message, code, type } }` (OpenAI), `{ error: "…" }`, `{ message }` or `{ detail }` (FastAPI). */
function readWords(text: string): VendorWords {
  const body = parseObject(text);
  const error = body['error'];
  if (typeof error === 'string') return { message: error };
  const source = isObject(error) ? error : body;
  const message = [source['message'], source['detail']].find((value) => typeof value === 'string');
  const code = [source['code'], source['type']].find((value) => typeof value === 'string');
  return { ...(message === undefined ? {} : { message }), ...(code === undefined ? {} : { code }) };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
