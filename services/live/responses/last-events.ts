/** Builds the event that ends a streamed response, whether it completed or failed. */
import type { AppError, ErrorCode } from '../../../domain/errors.ts';
import type { DialectEvent } from '../../../providers/dialect-adapter.ts';
import type { Fields } from '../dialects/fields.ts';
import type { LiveDeps } from '../live-deps.ts';

/** The progress of a stream. Its last event needs these facts when the stream breaks off. */
export interface StreamProgress {
  /** The number of the last event. */
  number: number;
  /** The response object as the upstream last sent it. */
  response: Fields;
  /** The items that are done, by the upstream's index, which need not be consecutive. */
  done: Map<number, unknown>;
  /** The upstream's last event, which waits until the generation is in the ledger. */
  last: DialectEvent | undefined;
}

/** Returns the last event of a complete answer, with its usage. */
export function endedEvent(last: DialectEvent, usage: Fields): DialectEvent {
  return { ...last, response: { ...(last['response'] as Fields), usage } };
}

/** Error codes for rate limits and for failures that the request causes. All other failures are `server_error`. */
const ERROR_CODES: Partial<Record<ErrorCode, string>> = {
  rate_limited: 'rate_limit_exceeded',
  invalid_request: 'invalid_prompt',
  content_refused: 'invalid_prompt',
};

/**
 * Returns the last event of a stream that was cut off: the items that were done, the error, and the usage if there
 * was any.
 */
export function failedEvent(
  deps: LiveDeps,
  progress: StreamProgress,
  failure: AppError,
  usage: Fields | null,
): DialectEvent {
  const { message, metadata } = deps.showError(failure);
  return {
    type: 'response.failed',
    sequence_number: progress.number + 1,
    response: {
      ...progress.response,
      status: 'failed',
      error: { code: ERROR_CODES[failure.code] ?? 'server_error', message, ...(metadata && { metadata }) },
      output: [...progress.done].sort(([one], [other]) => one - other).map(([, item]) => item),
      usage,
    },
  };
}

/** Returns the last event when the gateway itself could not end the stream. */
export function errorEvent(
  { showError }: LiveDeps,
  { number }: StreamProgress,
  error: AppError,
): DialectEvent {
  const { message } = showError(error);
  return { type: 'error', sequence_number: number + 1, code: 'server_error', message, param: null };
}
