/** Names the reasons why a video job has no provider yet. Customers see them, so no reason tells of an account. */
import type { ProviderErrorCode } from '../provider-error.ts';

/** The reasons for which a submission was not accepted. They are stored with the submission. */
export const REFUSAL_REASONS = [
  'rate_limited',
  'overloaded',
  'server_error',
  'not_connected',
  'no_answer',
  'not_available',
  'request_refused',
  'content_policy',
  'interrupted',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** The reasons why a job has no provider yet: the gateway has not begun with it, cannot, or was refused. */
export const WAIT_REASONS = ['queued', 'no_worker', ...REFUSAL_REASONS] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

const REASONS: Record<ProviderErrorCode, RefusalReason> = {
  rate_limited: 'rate_limited',
  overloaded: 'overloaded',
  server_error: 'server_error',
  invalid_response: 'server_error',
  not_connected: 'not_connected',
  connection_lost: 'no_answer',
  timeout: 'no_answer',
  unauthorized: 'not_available',
  not_found: 'not_available',
  invalid_request: 'request_refused',
  conflict: 'request_refused',
  loop_detected: 'request_refused',
  content_policy: 'content_policy',
  aborted: 'interrupted',
};

/** Returns the public reason for a failed submission. */
export function refusalReason({ code }: { code: ProviderErrorCode }): RefusalReason {
  return REASONS[code];
}
