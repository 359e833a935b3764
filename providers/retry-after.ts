import type { IncomingHttpHeaders } from 'node:http';
import { retryAfterMs } from '../domain/retry-after.ts';

/**
 * Returns the wait that the vendor requests, from `retry-after-ms` (OpenAI's) or the standard header; absent without
 * both.
 */
export function parseRetryAfter(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  return milliseconds(headers['retry-after-ms']) ?? retryAfterMs(headers['retry-after'], nowMs);
}

/** Returns the wait before the next poll: OpenAI's `openai-poll-after-ms`, or else the headers of `parseRetryAfter`. */
export function parsePollAfter(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  return milliseconds(headers['openai-poll-after-ms']) ?? parseRetryAfter(headers, nowMs);
}

function milliseconds(text: string | string[] | undefined): number | undefined {
  return typeof text === 'string' && /^\d{1,9}(\.\d+)?$/.test(text.trim())
    ? Math.round(Number(text))
    : undefined;
}
