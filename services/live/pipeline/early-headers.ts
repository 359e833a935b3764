/** Keeps a stream's connection alive while upstreams are slow, by early headers and comments. */
import { AppError } from '../../../domain/errors.ts';
import type { AttemptsResult } from '../../routing/run-attempts.ts';
import type { Piece, Pieces } from '../../../platform/event-stream.ts';
import { settleGeneration } from '../settle-generation.ts';
import type { EarlyStream } from './live-operation.ts';
import { answerOf, beginAnswer, failureOf, type LiveRun, providerNameOf } from './live-run.ts';
import { eventsOf } from './run-stream.ts';

/** A comment line. Clients of server-sent events skip lines that begin with a colon. */
const COMMENT = ': SLUICE PROCESSING\n\n';

/**
 * Streams a request whose headers are sent before an upstream has answered. Sends comments until an attempt has an
 * answer, then its events as usual.
 *
 * When all attempts have failed, the stream is an error in the form of its dialect. A caller who disconnects aborts the
 * attempt through the signal of the call, which also ends this wait.
 */
export async function* eventsAfterHeaders<Answer, Result>(
  run: LiveRun<Answer, Result>,
  early: EarlyStream<Result>,
  attempts: Promise<AttemptsResult<Answer>>,
): Pieces {
  const events = eventsOfAttempts(run, early, attempts);
  try {
    do yield COMMENT;
    while (await isPendingAfter(attempts, run.deps.earlyHeaders.commentEveryMs));
    return yield* events;
  } finally {
    // The caller may disconnect during a comment. `return` settles only a generator that has started.
    await events.next();
    await events.return(undefined);
  }
}

/** Streams the events once the attempts are over. It settles the run in every case. */
async function* eventsOfAttempts<Answer, Result>(
  run: LiveRun<Answer, Result>,
  early: EarlyStream<Result>,
  attempts: Promise<AttemptsResult<Answer>>,
): Pieces {
  let events: Pieces;
  try {
    const answered = answerOf(run, await attempts);
    const outcome = beginAnswer(run, answered);
    if (!('stream' in outcome)) throw new TypeError('the answer to a request for a stream is whole');
    events = eventsOf({ run, answered, stream: outcome.stream });
  } catch (thrown) {
    return endFailed(run, early, failureOf(run, thrown));
  }
  return yield* events;
}

/** Settles a failed run whose headers were sent. Returns the whole stream. */
async function endFailed<Answer, Result>(
  run: LiveRun<Answer, Result>,
  { failed }: EarlyStream<Result>,
  failure: AppError,
): Promise<Piece> {
  const { deps, open, reservation, ending, callersFailures } = run;
  const { target } = ending;
  const { requestId } = open.call.client;
  const show = (error: AppError): Piece =>
    failed({ error, target, providerName: providerNameOf(run, target) }, open);
  if (!callersFailures.has(failure.code) && failure.code !== 'rate_limited')
    deps.logger.error({ err: failure, requestId, code: failure.code }, 'request failed');
  try {
    await settleGeneration(deps, open, reservation, ending);
    return show(failure);
  } catch (error) {
    deps.logger.error({ err: error, requestId }, 'a stream could not be ended');
    return show(error instanceof AppError ? error : new AppError('internal'));
  }
}

/** Returns whether the promise is still pending after this time. Never rejects, and leaves no timer behind. */
export function isPendingAfter(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, true);
    const settled = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    promise.then(settled, settled);
  });
}
