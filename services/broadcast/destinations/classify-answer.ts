/**
 * Decides by a tool's HTTP status or by a network error whether to retry, divide or refuse a batch, or to pause its
 * destination.
 */
import { retryAfterMs } from '../../../domain/retry-after.ts';
import {
  OutboundBlockedError,
  OutboundNetworkError,
  OutboundTimeoutError,
} from '../../../platform/outbound-error.ts';
import type { AnswerClass } from './destination-adapter.ts';
import type { ToolAnswer } from './exchange.ts';

const HOUR_MS = 3_600_000;

/** The reasons for pausing after statuses that every batch would get. */
const PAUSES: Record<number, string> = {
  401: 'The tool does not accept the credentials',
  402: 'The tool asks for payment',
  403: 'The tool does not allow these credentials to send data',
  404: 'The tool has nothing at this address',
  405: 'The address does not accept data',
  407: 'A proxy in front of the tool asks for credentials',
  410: 'The address is no longer in use',
};

/** Judges an answer by its status alone. `nowMs` is needed for a `Retry-After` with a date. */
export function classifyStatus(answer: ToolAnswer, nowMs: number): AnswerClass {
  const { status } = answer;
  if (status >= 200 && status < 300) return { kind: 'delivered', rejected: 0 };
  if (status >= 300 && status < 400) {
    return pause('The tool redirects to another address, and redirects are not followed', status);
  }
  const reason = PAUSES[status];
  if (reason !== undefined) return pause(reason, status);
  if (status === 413)
    return { kind: 'too_large', reason: 'The tool says that the batch is too large (413).' };
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) {
    return { kind: 'bad', reason: `The tool refuses the data (${status}).` };
  }
  return retry(answer, nowMs);
}

/** Returns the ruling to send the batch again, after the wait that the answer requests. */
export function retry(
  { status, headers }: Omit<ToolAnswer, 'body'>,
  nowMs: number,
): Extract<AnswerClass, { kind: 'retry' }> {
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  return {
    kind: 'retry',
    reason: status === 429 ? 'The tool limits the rate (429).' : `The tool answered ${status}.`,
    isServerError: status >= 500,
    retryAfterMs: waitMs && Math.min(waitMs, HOUR_MS),
  };
}

export function pause(reason: string, status: number): AnswerClass {
  return { kind: 'pause', reason: `${reason} (${status}).` };
}

/** Judges an exchange without an answer. Rethrows errors that come neither from the network nor from the guard. */
export function classifyFailure(error: unknown): AnswerClass {
  if (error instanceof OutboundBlockedError) return { kind: 'pause', reason: `${error.message}.` };
  if (error instanceof OutboundTimeoutError) {
    return { kind: 'retry', reason: 'The tool did not answer in time.', isServerError: false };
  }
  if (error instanceof OutboundNetworkError) {
    // The HTTP client refuses an invalid header before it connects.
    if (error.code === 'UND_ERR_INVALID_ARG') {
      return { kind: 'pause', reason: 'A value of the configuration cannot be sent as an HTTP header.' };
    }
    return { kind: 'retry', reason: `${error.message}.`, isServerError: false };
  }
  throw error;
}
