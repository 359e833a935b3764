/** Passes an upstream's stream on to the caller, and settles the generation however the stream ends. */
import { AppError } from '../../../domain/errors.ts';
import { ProviderError } from '../../../domain/provider-error.ts';
import { circuitOf, type Target } from '../../../domain/routing/routing.ts';
import { toCallerError } from '../../routing/provider-failure.ts';
import { AnswerMemoryError } from '../../../providers/answer-allowance.ts';
import { SMALL_ANSWER_BYTES } from '../../../platform/answers-in-flight.ts';
import type { Piece, Pieces } from '../../../platform/event-stream.ts';
import { noteFailure } from '../generation.ts';
import type { LiveCall } from '../live-call.ts';
import { settleGeneration } from '../settle-generation.ts';
import { type Abandonable, atLeastAbandoned, wasAbandoned } from './abandoned.ts';
import { failedEnding, nothingUsed, statusOf, withGenerationId } from './endings.ts';
import type { Answered, Billed, LiveStream, StreamBill } from './live-operation.ts';
import type { LiveRun } from './live-run.ts';

/** A stream that has started, with its run and its origin. */
interface StreamSource {
  run: Pick<LiveRun<never, never>, 'deps' | 'open' | 'reservation' | 'callersFailures'> & {
    request: Abandonable;
  };
  answered: Pick<Answered<unknown>, 'target' | 'startedAtMs' | 'responses'>;
  stream: LiveStream;
}

/**
 * Generates the caller's stream, which settles the run, provided that a consumer requests the first piece. Meters and
 * presents parts as they arrive; the last piece follows once the generation is in the ledger.
 *
 * A stream that is cut off is billed up to that point. The same holds when the caller disconnects, which also ends the
 * upstream's stream. Media that the upstream finishes anyway cost at least the reserved amount. The first end that the
 * stream reaches settles the generation; later ends change nothing.
 */
export async function* eventsOf(source: StreamSource): Pieces {
  const { run, answered, stream } = source;
  const { deps, open } = run;
  const { requestId } = open.call.client;
  let settled: Promise<StreamBill> | undefined;
  const settle = (failure: AppError | undefined) => (settled ??= settleStream(source, failure));
  try {
    const failure = yield* passOn(stream, answered.target, open.call);
    const bill = await settle(failure);
    return stream.last(bill, failure);
  } catch (error) {
    if (stream.internalErrorEvent === undefined) throw error;
    // The ledger may not have the row, so the caller must not take the answer for complete.
    deps.logger.error({ err: error, requestId }, 'a stream could not be ended');
    return stream.internalErrorEvent(error instanceof AppError ? error : new AppError('internal'));
  } finally {
    // Unsettled here means that the caller disconnected during the stream.
    if (settled === undefined) {
      await settle(new AppError('client_cancelled')).catch((error: unknown) => {
        deps.logger.error({ err: error, requestId }, 'a stream whose caller left could not be ended');
      });
    }
  }
}

/**
 * Presents all parts as they arrive. Returns the failure that cut them off, if there was one. All of this time counts
 * as waiting for the upstream, even while a slow reader delays the stream.
 */
async function* passOn(
  stream: LiveStream,
  target: Target,
  { waits, answer }: Pick<LiveCall<unknown>, 'waits' | 'answer'>,
): AsyncGenerator<Piece, AppError | undefined> {
  const sinceMs = performance.now();
  const parts = stream.parts[Symbol.asyncIterator]();
  let isOver = false;
  try {
    for (;;) {
      const arrived = await parts.next();
      if (arrived.done === true) {
        isOver = true;
        return stream.missing?.();
      }
      const piece = presented(stream, arrived);
      if (piece.length === 0) continue;
      const bytes = piece.length > SMALL_ANSWER_BYTES ? piece.length : 0;
      answer.add(bytes);
      yield piece;
      answer.add(-bytes);
    }
  } catch (error) {
    stream.brokenBy?.(error);
    if (!(error instanceof ProviderError)) return new AppError('internal', { cause: error });
    return toCallerError(error, target.own !== undefined);
  } finally {
    if (!isOver) await parts.return?.();
    waits.upstreamMs += performance.now() - sinceMs;
  }
}

/**
 * Presents parts that have arrived, and removes them from their result. The generator keeps that result while the
 * reader takes the piece, which may last minutes. So only the bytes of a large piece stay in memory.
 */
function presented(stream: LiveStream, arrived: { value: unknown[] }): Piece {
  const piece = stream.present(arrived.value);
  arrived.value = [];
  return piece.length > SMALL_ANSWER_BYTES ? Buffer.from(piece) : piece;
}

async function settleStream(source: StreamSource, failure: AppError | undefined): Promise<StreamBill> {
  const { deps, open, reservation } = source.run;
  const { target, responses, startedAtMs } = source.answered;
  const nothing = nothingUsed(target, responses);
  let bill: StreamBill;
  let billed: Billed;
  try {
    bill = source.stream.bill(failure);
    billed = billOf(source, bill, failure);
  } catch (cause) {
    const error = new AppError('internal', { cause });
    noteFailure(open, error);
    await settleGeneration(deps, open, reservation, failedEnding(nothing));
    throw withGenerationId(error, open.id);
  }
  const answeredAtMs = startedAtMs + (responses.at(-1)?.latency ?? 0);
  reportHealth(source, bill, answeredAtMs, failure);
  if (failure !== undefined) noteFailure(open, failure);
  await settleGeneration(deps, open, reservation, {
    ...nothing,
    ...billed,
    ...(failure === undefined ? {} : { finishReason: 'error', nativeFinishReason: null }),
    status: statusOf(failure),
    answeredAtMs,
  });
  return bill;
}

/** Returns the bill of an ended stream. */
function billOf(
  { run: { open, request }, answered, stream }: StreamSource,
  { billed }: StreamBill,
  failure: AppError | undefined,
): Billed {
  const isAbandoned = wasAbandoned(failure, open.call) && stream.isUnderWay?.() === true;
  return isAbandoned ? atLeastAbandoned(billed, request, answered.target) : billed;
}

/** The shortest stream that is used to measure an endpoint's speed. */
const MEASURABLE_MS = 50;

function reportHealth(
  { run, answered: { target, startedAtMs } }: StreamSource,
  { completionTokens }: StreamBill,
  answeredAtMs: number,
  failure: AppError | undefined,
): void {
  if (failure !== undefined && run.callersFailures.has(failure.code)) return;
  if (failure?.cause instanceof AnswerMemoryError) return;
  const answeringMs = Date.now() - answeredAtMs;
  const isMeasured = completionTokens !== undefined && answeringMs >= MEASURABLE_MS;
  run.deps.health.record(circuitOf(target), {
    ok: failure === undefined,
    latencyMs: answeredAtMs - startedAtMs,
    throughput: isMeasured ? completionTokens / (answeringMs / 1_000) : undefined,
  });
}
