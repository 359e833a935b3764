import { AppError } from '../../domain/errors.ts';
import type { Target } from '../../domain/routing.ts';
import type { Reservation } from '../spending/spending.ts';
import type { AttemptsResult } from '../routing/run-attempts.ts';
import { attemptLive } from './attempt-live.ts';
import type { Ending, OpenGeneration } from './generation.ts';
import { settleGeneration } from './settle-generation.ts';
import type { LiveCall } from './live-call.ts';
import type { LiveDeps } from './live-deps.ts';

/** A request that was planned and reserved; no upstream knows of it yet. */
export interface BegunLive<Body> {
  /** With its preset, if it names one. */
  call: LiveCall<Body>;
  open: OpenGeneration;
  reservation: Reservation;
  targets: readonly [Target, ...Target[]];
}

type Answered<T> = Required<Pick<AttemptsResult<T>, 'answered'>> & AttemptsResult<T>;

/** Resolves with the first answer. Rejects with what the caller is told, after the failure is in the ledger. */
export async function attemptGeneration<T>(
  deps: LiveDeps,
  { call, open, reservation, targets }: BegunLive<unknown>,
  ask: Parameters<typeof attemptLive<T>>[3],
): Promise<Answered<T>> {
  let result: AttemptsResult<T>;
  try {
    result = await attemptLive(deps, call, targets, ask);
  } catch (cause) {
    throw await failAnswered(deps, { open, reservation }, { target: targets[0], responses: [] }, cause);
  }
  if (result.answered !== undefined) return result as Answered<T>;
  const error = result.error ?? new AppError('internal');
  open.draft?.fail(error);
  await settleGeneration(deps, open, reservation, {
    ...nothingUsed(result.target),
    status: error.code === 'client_cancelled' ? 'cancelled' : 'failed',
    responses: result.responses,
    finishReason: 'error',
  });
  throw withGenerationId(error, open.id);
}

/**
 * Of an answer with which the gateway itself fails: the generation has failed and costs nothing, and what was reserved
 * is given back. Resolves with what the caller is told.
 */
export async function failAnswered(
  deps: LiveDeps,
  { open, reservation }: Pick<BegunLive<unknown>, 'open' | 'reservation'>,
  { target, responses }: Pick<AttemptsResult<unknown>, 'target' | 'responses'>,
  cause: unknown,
): Promise<AppError> {
  const error = new AppError('internal', { cause });
  open.draft?.fail(error);
  await settleGeneration(deps, open, reservation, {
    ...nothingUsed(target),
    status: 'failed',
    responses,
    finishReason: 'error',
  });
  return withGenerationId(error, open.id);
}

/** Of a generation without an answer, and the beginning of any other. */
export function nothingUsed(target: Target): Omit<Ending, 'responses' | 'status'> {
  return {
    target,
    usage: null,
    costNanos: 0n,
    upstreamCostNanos: null,
    outputModalities: [],
    finishReason: null,
    upstreamId: null,
    serviceTier: null,
    toolCalls: 0,
    answeredAtMs: null,
  };
}

function withGenerationId(error: AppError, id: string): AppError {
  const headers = { ...error.options.headers, 'x-generation-id': id };
  return new AppError(error.code, { ...error.options, headers });
}
