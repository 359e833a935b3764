import type { IncomingHttpHeaders } from 'node:http';
import { retryAfterMs } from '../domain/retry-after.ts';

/** How long the vendor asks to wait: `retry-after-ms` (OpenAI's) or the standard header; absent if neither. */
export function parseRetryAfter(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  return milliseconds(headers['retry-after-ms']) ?? retryAfterMs(headers['retry-after'], nowMs);
}

/** The same on an answer that is no error: OpenAI's polling hint (`openai-poll-after-ms`) comes first. */
export function parsePollAfter(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  return milliseconds(headers['openai-poll-after-ms']) ?? parseRetryAfter(headers, nowMs);
}

function milliseconds(text: string | string[] | undefined): number | undefined {
  return typeof text === 'string' && /^\d{1,9}(\.\d+)?$/.test(text.trim())
    ? Math.round(Number(text))
    : undefined;
}
