/** Holds a live request with its reservation, and provides the steps that whole and streamed answers share. */
import { AppError, type ErrorCode } from '../../../domain/errors.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { AttemptsResult } from '../../routing/run-attempts.ts';
import type { Reservation } from '../../ledger/spending/spending.ts';
import { type Ending, noteFailure, type OpenGeneration } from '../generation.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { billAbandoned, disconnectedByItself } from './abandoned.ts';
import { failedEnding, nothingUsed, withGenerationId } from './endings.ts';
import type { Answered, LiveRequest, StreamedAnswer, WholeAnswer } from './live-operation.ts';

/** A planned request. It has no reservation, and no upstream was called. */
export interface PlannedRequest<Answer, Result> {
  call: LiveCall<unknown>;
  request: LiveRequest<Answer, Result>;
  targets: [Target, ...Target[]];
  open: OpenGeneration;
}

/** A planned request that has a reservation, which must be settled once. */
export interface LiveRun<Answer, Result> extends PlannedRequest<Answer, Result> {
  deps: LiveDeps;
  callersFailures: ReadonlySet<ErrorCode>;
  reservation: Reservation;
  /** The ending to record if nothing more happens. */
  ending: Ending;
}

/** Returns the answer of the attempts. When all of them failed, throws the error that the caller gets. */
export function answerOf<Answer, Result>(
  run: LiveRun<Answer, Result>,
  { answered, responses, error, target, isAbandoned }: AttemptsResult<Answer>,
): Answered<Answer> {
  const nothing = nothingUsed(target, responses);
  const isCharged = isAbandoned && disconnectedByItself(run.call);
  run.ending = failedEnding(
    isCharged ? { ...nothing, ...billAbandoned(run.request, target) } : nothing,
    error,
  );
  if (answered === undefined) throw error ?? new AppError('internal');
  return { ...answered, responses, providerName: providerNameOf(run, answered.target) };
}

/** Lets the operation bill an answer that has started. */
export function beginAnswer<Answer, Result>(
  { request, open }: LiveRun<Answer, Result>,
  answer: Answered<Answer>,
): WholeAnswer<Result> | StreamedAnswer<Result> {
  const outcome = request.answered(answer, open);
  open.streamed = 'stream' in outcome;
  return outcome;
}

/** Returns the caller's error for any thrown value, and records it for the log of bodies. */
export function failureOf<Answer, Result>({ open }: LiveRun<Answer, Result>, thrown: unknown): AppError {
  const error = thrown instanceof AppError ? thrown : new AppError('internal', { cause: thrown });
  noteFailure(open, error);
  return withGenerationId(error, open.id);
}

export function providerNameOf<Answer, Result>(
  { deps }: LiveRun<Answer, Result>,
  { endpoint }: Target,
): string {
  return deps.catalog.providerName(endpoint.providerSlug);
}
