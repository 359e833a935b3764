import type { AppError, ErrorCode } from '../../../domain/errors.ts';
import type { DialectEvent } from '../../../providers/dialect-adapter.ts';
import type { Fields } from '../dialects/fields.ts';
import type { LiveDeps } from '../live-deps.ts';

/** How far a stream has come, for what is to be said when it breaks. */
export interface Course {
  /** Of the last event. */
  number: number;
  /** As the upstream last told it. */
  response: Fields;
  /** Items that are done, by their places: the upstream's numbers, which are no lengths of lists. */
  done: Map<number, unknown>;
  /** The upstream's last word, held back until the generation is in the ledger. */
  last: DialectEvent | undefined;
}

/** The last event of an answer that came whole. */
export function endedEvent(last: DialectEvent, usage: Fields): DialectEvent {
  return { ...last, response: { ...(last['response'] as Fields), usage } };
}

/** Whose error is about the request, and who has to wait; all else is the server's affair. */
const ERROR_WORDS: Partial<Record<ErrorCode, string>> = {
  rate_limited: 'rate_limit_exceeded',
  invalid_request: 'invalid_prompt',
  content_refused: 'invalid_prompt',
};

/** Of one that was cut off: the items that were done, what was wrong, and the usage if anything was used. */
export function failedEvent(
  deps: LiveDeps,
  course: Course,
  failure: AppError,
  usage: Fields | null,
): DialectEvent {
  const { message, metadata } = deps.showError(failure);
  return {
    type: 'response.failed',
    sequence_number: course.number + 1,
    response: {
      ...course.response,
      status: 'failed',
      error: { code: ERROR_WORDS[failure.code] ?? 'server_error', message, ...(metadata && { metadata }) },
      output: [...course.done].sort(([one], [other]) => one - other).map(([, item]) => item),
      usage,
    },
  };
}

/** The gateway itself could not end the stream. */
export function errorEvent({ showError }: LiveDeps, { number }: Course, error: AppError): DialectEvent {
  const { message } = showError(error);
  return { type: 'error', sequence_number: number + 1, code: 'server_error', message, param: null };
}
