/** Reads from the headers of an answer how long the vendor asks to wait. */
import { retryAfterMs } from '../domain/retry-after.ts';

/** Headers of an answer. undici passes a header that came twice as a list, also where Node's types say otherwise. */
type Headers = Record<string, string | string[] | undefined>;

/**
 * Returns the wait that the vendor requests, from `retry-after-ms` (OpenAI's) or the standard header; absent without
 * both.
 */
export function parseRetryAfter(headers: Headers, nowMs: number): number | undefined {
  return milliseconds(headers['retry-after-ms']) ?? retryAfterMs(headers['retry-after'], nowMs);
}

/** Returns the wait before the next poll: OpenAI's `openai-poll-after-ms`, or else the headers of `parseRetryAfter`. */
export function parsePollAfter(headers: Headers, nowMs: number): number | undefined {
  return milliseconds(headers['openai-poll-after-ms']) ?? parseRetryAfter(headers, nowMs);
}

function milliseconds(header: string | string[] | undefined): number | undefined {
  const text = (typeof header === 'string' ? header : header?.[0])?.trim();
  return text !== undefined && /^\d{1,9}(\.\d+)?$/.test(text) ? Math.round(Number(text)) : undefined;
}
