/** Describes the failure of a generation in its span, without the prompt in privacy mode. */
import type { GenerationStatus } from '../ledger/generation.ts';
import type { BroadcastEvent } from './event.ts';
import type { BroadcastSpan } from './span.ts';

/** The messages for generations that failed without an error code. They contain nothing of prompt or answer. */
const MESSAGES: Record<Exclude<GenerationStatus, 'completed'>, string> = {
  failed: 'The generation failed',
  cancelled: 'The generation was cancelled',
  expired: 'The generation did not finish in time',
};

/** The messages by error code, used instead of messages that may quote the upstream and thus the caller's prompt. */
const MESSAGES_OF_CODES = new Map<string, string>([
  ['invalid_request', 'The provider refused the request'],
  ['content_refused', 'The provider refused the content'],
  ['content_policy', 'The provider refused the content'],
  ['rate_limited', 'The provider is limiting requests'],
  ['provider_error', 'The provider had an error'],
  ['provider_timeout', 'The provider did not answer in time'],
  ['provider_overloaded', 'The provider is overloaded'],
  ['client_cancelled', 'The caller closed the connection'],
]);

/**
 * Returns the failure of a generation; undefined if it succeeded. In privacy mode only the error's code selects the
 * message, because an upstream that refuses a request may quote it.
 */
export function spanErrorOf(event: BroadcastEvent, isPrivate: boolean): BroadcastSpan['error'] {
  if (event.status === 'completed') return undefined;
  const { error } = event.facts;
  if (error === undefined) return { type: event.status, message: MESSAGES[event.status] };
  const { code, message } = error;
  if (!isPrivate && message !== '') return { type: code, message };
  return { type: code, message: MESSAGES_OF_CODES.get(code) ?? MESSAGES[event.status] };
}
