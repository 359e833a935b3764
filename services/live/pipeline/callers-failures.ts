/** Lists the failures that callers cause, so that they do not count against an endpoint. */
import type { ErrorCode } from '../../../domain/errors.ts';

/** Failures of a text operation that do not affect the endpoint's health. */
export const CALLERS_FAILURES_OF_TEXT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'client_cancelled',
  'invalid_request',
  'payload_too_large',
  'content_refused',
  'loop_detected',
]);

/** Failures of a media operation that do not affect the endpoint's health. */
export const CALLERS_FAILURES_OF_MEDIA: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'client_cancelled',
  'loop_detected',
]);
