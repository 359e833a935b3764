/** Runs every live request from its preset to its ledger row. */
import { circuitOf, type Target } from '../../../domain/routing/routing.ts';
import type { LiveCallContext } from '../../../providers/call-context.ts';
import { attemptLive } from '../attempt-live.ts';
import { EventStream } from '../../../platform/event-stream.ts';
import { type Ending, openGeneration } from '../generation.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';
import { settleGeneration } from '../settle-generation.ts';
import { eventsAfterHeaders, isPendingAfter } from './early-headers.ts';
import { failedEnding, nothingUsed } from './endings.ts';
import { reserveFor } from './target-reservation.ts';
import { inlineUrls } from './inline-urls.ts';
import { planLive } from './plan-live.ts';
import type {
  Answered,
  CompletedCall,
  EarlyStream,
  LiveOperation,
  LiveRequest,
  WholeAnswer,
} from './live-operation.ts';
import { answerOf, beginAnswer, failureOf, type LiveRun, type PlannedRequest } from './live-run.ts';
import { eventsOf } from './run-stream.ts';

/** The answer of a live operation, and the facts for its headers. */
export interface LiveOutcome<Result> extends OutcomeFacts {
  result: Result;
}

export interface OutcomeFacts {
  generationId: string;
  /**
   * The limit on the answer's tokens that the provider got. Present when the reserved money covers no more and the
   * caller set no limit. When headers are sent early, a later fallback may get another limit.
   */
  outputLimit?: number | undefined;
  /** The types of hosted tools that were removed from the request. */
  droppedTools?: readonly string[] | undefined;
  /**
   * The hints that the provider did not get because it cannot take them. When headers are sent early, they are those
   * of the attempt under way.
   */
  droppedFields?: readonly string[] | undefined;
  /**
   * When the model may be removed, as an HTTP date. Present in its last 30 days. When headers are sent early, the model
   * is that of the attempt under way.
   */
  sunset?: string | undefined;
}

/**
 * Runs one request of a live operation: complete by preset, plan, reserve, attempt, bill, settle, show.
 *
 * Every reservation is released and every attempted request gets a row. The `finally` below does both, unless the
 * request was handed over to a stream, which then does both. When upstreams take long, a text stream is handed over
 * before there is an answer.
 */
export async function runLive<Body extends RoutableBody, Answer, Result>(
  deps: LiveDeps,
  operation: LiveOperation<Body, Answer, Result>,
  original: LiveCall<Body>,
): Promise<LiveOutcome<Result>> {
  deps.ledger.requireOpen();
  const planned = await plan(deps, operation, original);
  const { call, request, open } = planned;
  const { early, droppedTools } = request;
  const facts: OutcomeFacts = { generationId: open.id, droppedTools };
  const sinceMs = performance.now();
  const reserved = await reserveFor(deps.spending, call, planned.targets, (target) =>
    request.estimateAt(target),
  );
  call.waits.callerMs += performance.now() - sinceMs;
  const { reservation, targets } = reserved;
  const { callersFailures } = operation;
  const ending = failedEnding(nothingUsed(targets[0], []));
  const run: LiveRun<Answer, Result> = {
    ...planned,
    targets,
    deps,
    callersFailures,
    reservation,
    ending,
  };
  let isHandedOver = false;
  let whole: WholeAnswer<Result>;
  try {
    const begun = await begin(run, early, (target, given) => {
      const context = { ...given, ...droppingHints(request) };
      facts.outputLimit = reserved.outputLimit(target);
      facts.droppedFields = context.droppedFields;
      facts.sunset = deps.sunsets.headerFor(target.model);
      return request.ask(target, context, facts.outputLimit);
    });
    if ('handedOver' in begun) {
      isHandedOver = true;
      return { ...facts, result: begun.handedOver };
    }
    whole = begun;
  } catch (thrown) {
    throw failureOf(run, thrown);
  } finally {
    if (!isHandedOver) await settleGeneration(deps, open, reservation, run.ending);
  }
  return { ...facts, result: whole.show() };
}

/** Lets an attempt leave out hints that its endpoint cannot take, unless the caller requires every parameter. */
function droppingHints({ routable }: Pick<LiveRequest<never, never>, 'routable'>): {
  droppedFields?: string[];
} {
  return routable.provider?.require_parameters === true ? {} : { droppedFields: [] };
}

/**
 * Calls upstreams and begins the answer, which is handed over if it is a stream. A running function keeps its values in
 * memory, so this is a function of its own: the upstream's answer is freed before the row is written.
 */
async function begin<Answer, Result>(
  run: LiveRun<Answer, Result>,
  early: EarlyStream<Result> | undefined,
  ask: (target: Target, context: LiveCallContext) => Promise<Answer> | undefined,
): Promise<WholeAnswer<Result> | { handedOver: Result }> {
  const { deps, call, targets } = run;
  const attempts = attemptLive(deps, call, targets, ask);
  if (early !== undefined && (await isPendingAfter(attempts, deps.earlyHeaders.afterMs))) {
    return { handedOver: early.show(new EventStream(eventsAfterHeaders(run, early, attempts))) };
  }
  const answered = answerOf(run, await attempts);
  const outcome = beginAnswer(run, answered);
  if ('stream' in outcome) {
    return { handedOver: outcome.show(new EventStream(eventsOf({ run, answered, stream: outcome.stream }))) };
  }
  run.ending = endingOf(answered, outcome);
  deps.health.record(circuitOf(answered.target), { ok: true, latencyMs: Date.now() - answered.startedAtMs });
  return outcome;
}

function endingOf<Result>({ target, responses }: Answered<unknown>, { billed }: WholeAnswer<Result>): Ending {
  return { ...nothingUsed(target, responses), ...billed, status: 'completed', answeredAtMs: Date.now() };
}

async function plan<Body extends RoutableBody, Answer, Result>(
  deps: LiveDeps,
  operation: LiveOperation<Body, Answer, Result>,
  original: LiveCall<Body>,
): Promise<PlannedRequest<Answer, Result>> {
  const { capability, apiType } = operation;
  const { call, presetId }: CompletedCall<Body> = operation.withPreset
    ? await operation.withPreset(original)
    : { call: original, presetId: null };
  const request = readRequest(deps, operation, call, original);
  const { targets, settings } = await planLive(deps, capability, call, request);
  const open = openGeneration({ ...request.opening, apiType, call, presetId, settings });
  return { call, request, targets, open };
}

function readRequest<Body, Answer, Result>(
  deps: LiveDeps,
  operation: LiveOperation<Body, Answer, Result>,
  call: LiveCall<Body>,
  original: LiveCall<Body>,
): LiveRequest<Answer, Result> {
  const request = operation.read(call, original);
  const { urls } = request;
  if (urls === undefined) return request;
  return inlineUrls(deps, call, { ...request, urls }, (body) => operation.read({ ...call, body }, original));
}
