/** Answers a POST whose work a service does once for each `Idempotency-Key`, and marks the answers of retries. */
import type { OnceOptions, OnceAnswer } from '../../services/answer-once.ts';
import type { AnswerHeaders, AnyCall } from './route.ts';

/**
 * Does the work with the caller's `Idempotency-Key`, and returns its answer. A retry gets the first answer again.
 * @param respond Renders the answer; it is stored for retries.
 */
export async function answerIdempotently<Made, Status extends number, Body>(
  { idempotency }: Pick<AnyCall, 'idempotency'>,
  respond: (made: Made) => { status: Status; body: Body },
  work: (options: OnceOptions<Made>) => Promise<OnceAnswer>,
): Promise<{ status: Status; headers?: AnswerHeaders; body: Body }> {
  const { replayed, ...answer } = await work({ idempotency, respond });
  // `respond` built this answer now, or for the first request with the same idempotency key.
  return { ...(answer as ReturnType<typeof respond>), ...replayMark(replayed) };
}

/** Returns the header that tells the caller of a retry that its answer is the first one. */
export function replayMark(replayed: boolean): { headers?: AnswerHeaders } {
  return replayed ? { headers: { 'idempotent-replayed': 'true' } } : {};
}
