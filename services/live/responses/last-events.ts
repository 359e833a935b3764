/** Builds the event that ends a streamed response, whether it completed or failed. */
import type { AppError, ErrorCode } from '../../../domain/errors.ts';
import type { DialectEvent } from '../../../providers/dialect-adapter.ts';
import type { Fields } from '../../../domain/fields.ts';
import type { LiveDeps } from '../live-deps.ts';

/** The longest items that a failed response repeats, all together. */
const MAX_DONE_LENGTH = 1024 ** 2;

/**
 * The progress of a stream. Its last event needs these facts when the stream breaks off. They are kept as text, because
 * objects may take many times the memory.
 */
export interface StreamProgress {
  /** The number of the last event. */
  number: number;
  /** The response object before the upstream has sent any. */
  initial: Fields;
  /** The event with the response object that the upstream sent last. */
  latest: string | undefined;
  /** The events of the items that are done, by the upstream's index, which need not be consecutive. */
  done: Map<number, string>;
  doneLength: number;
  /** The upstream's last event, which waits until the generation is in the ledger: the parts around its usage. */
  last: [before: string, after: string] | undefined;
}

/** Keeps an event of an item that is done. Returns its length, or zero for an item that there is no room for. */
export function keepDone(progress: StreamProgress, index: number, written: string): number {
  if (progress.doneLength + written.length > MAX_DONE_LENGTH) return 0;
  progress.doneLength += written.length;
  progress.done.set(index, written);
  return written.length;
}

/** Returns a field of an event that was written. */
function fieldOf(written: string, name: string): unknown {
  const data = written.slice(written.indexOf('\ndata: ') + '\ndata: '.length);
  return (JSON.parse(data) as Fields)[name];
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
  const { number, initial, latest, done } = progress;
  return {
    type: 'response.failed',
    sequence_number: number + 1,
    response: {
      ...(latest === undefined ? initial : (fieldOf(latest, 'response') as Fields)),
      status: 'failed',
      error: { code: ERROR_CODES[failure.code] ?? 'server_error', message, metadata },
      output: [...done].sort(([one], [other]) => one - other).map(([, event]) => fieldOf(event, 'item')),
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
