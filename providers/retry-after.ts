/** Reads from the headers of an answer how long the vendor asks to wait. */
import { retryAfterMs } from '../domain/retry-after.ts';

const WHOLE_SECONDS = /^\s*\d{1,9}\s*$/;
/** Matches the beginning of an HTTP date, the name of a day. */
const DATE = /^\s*[a-z]/i;

/** Headers of an answer. undici passes a header that came twice as a list, also where Node's types say otherwise. */
type Headers = Record<string, string | string[] | undefined>;

/**
 * Returns the wait that the vendor requests, from `retry-after-ms` (OpenAI's) or the standard header; absent without
 * both.
 */
export function parseRetryAfter(headers: Headers, nowMs: number): number | undefined {
  return milliseconds(headers['retry-after-ms']) ?? retryAfterMs(headers['retry-after'], nowMs);
}

/**
 * Returns whether a vendor states its wait in a form that is neither a whole number of seconds nor a date, or twice. A
 * usable `retry-after-ms` makes the other header irrelevant.
 */
export function hasBentWait(headers: Headers, nowMs: number): boolean {
  const { 'retry-after': wait, 'retry-after-ms': exact } = headers;
  if (wait === undefined || milliseconds(exact) !== undefined) return false;
  if (typeof wait !== 'string') return true;
  return !WHOLE_SECONDS.test(wait) && !(DATE.test(wait) && retryAfterMs(wait, nowMs) !== undefined);
}

/** Returns the wait before the next poll: OpenAI's `openai-poll-after-ms`, or else the headers of `parseRetryAfter`. */
export function parsePollAfter(headers: Headers, nowMs: number): number | undefined {
  return milliseconds(headers['openai-poll-after-ms']) ?? parseRetryAfter(headers, nowMs);
}

function milliseconds(header: string | string[] | undefined): number | undefined {
  const text = (typeof header === 'string' ? header : header?.[0])?.trim();
  return text !== undefined && /^\d{1,9}(\.\d+)?$/.test(text) ? Math.round(Number(text)) : undefined;
}
