import { AppError } from '../../../domain/errors.ts';
import type { Target } from '../../../domain/routing.ts';
import { attemptLive } from '../attempt-live.ts';
import { EventStream } from '../event-stream.ts';
import { type Ending, type OpenGeneration, openGeneration } from '../generation.ts';
import type { LiveCall } from '../live-call.ts';
import type { LiveDeps } from '../live-deps.ts';
import { planTargets } from '../plan-targets.ts';
import { settleGeneration } from '../settle-generation.ts';
import type { CompletedCall, LiveOperation, LiveRequest, WholeAnswer } from './live-operation.ts';
import { failedEnding, nothingUsed, withGenerationId } from './endings.ts';
import { holdFor } from './hold.ts';
import { inlineUrls } from './inline-urls.ts';
import { eventsOf } from './run-stream.ts';

/** A request that was planned; nothing is reserved for it, and no upstream knows of it. */
interface Planned<Answer, Result> {
  call: LiveCall<unknown>;
  request: LiveRequest<Answer, Result>;
  targets: [Target, ...Target[]];
  open: OpenGeneration;
}

/** What the caller of a live operation is told. */
export interface LiveOutcome<Result> extends OutcomeFacts {
  result: Result;
}

export interface OutcomeFacts {
  generationId: string;
  /** The limit that the provider was sent, in tokens of an answer, where the caller set none and money is short. */
  outputLimit?: number | undefined;
}

/**
 * Runs one request of a live operation: complete by preset, plan, reserve, attempt, bill, settle, show.
 *
 * Every reservation is given back and every attempted request has a row, in one of two places: until the answer is
 * handed over, the `finally` below settles; after that the stream does.
 */
export async function runLive<Body, Answer, Result>(
  deps: LiveDeps,
  operation: LiveOperation<Body, Answer, Result>,
  asked: LiveCall<Body>,
): Promise<LiveOutcome<Result>> {
  deps.ledger.requireOpen();
  const planned = await plan(deps, operation, asked);
  const { call, request, targets, open } = planned;
  const held = await holdFor(deps.spending, call.principal, targets, (target) => request.estimateAt(target));
  const { reservation } = held;
  let ending: Ending = failedEnding(nothingUsed(targets[0], []));
  let isHandedOver = false;
  let whole: WholeAnswer<Result>;
  let outputLimit: number | undefined;
  try {
    const result = await attemptLive(deps, call, targets, (target, context) =>
      request.ask(target, context, (outputLimit = held.outputLimit(target))),
    );
    ending = failedEnding(nothingUsed(result.target, result.responses), result.error);
    const { answered, responses } = result;
    if (answered === undefined) throw result.error ?? new AppError('internal');
    const { target, startedAtMs } = answered;
    const providerName = deps.catalog.providerName(target.endpoint.providerSlug);
    const outcome = request.answered({ ...answered, responses, providerName }, open);
    open.streamed = 'stream' in outcome;
    if ('stream' in outcome) {
      const { callersFailures } = operation;
      const source = { stream: outcome.stream, target, startedAtMs, responses, callersFailures };
      const events = new EventStream(eventsOf(deps, open, reservation, source));
      const shown = { generationId: open.id, outputLimit, result: outcome.show(events) };
      isHandedOver = true;
      return shown;
    }
    whole = outcome;
    ending = {
      ...nothingUsed(target, responses),
      ...whole.billed,
      status: 'completed',
      answeredAtMs: Date.now(),
    };
    deps.health.record(target.endpoint.id, { ok: true, latencyMs: Date.now() - startedAtMs });
  } catch (thrown) {
    const error = thrown instanceof AppError ? thrown : new AppError('internal', { cause: thrown });
    open.draft?.fail(error);
    throw withGenerationId(error, open.id);
  } finally {
    if (!isHandedOver) await settleGeneration(deps, open, reservation, ending);
  }
  return { generationId: open.id, outputLimit, result: whole.show() };
}

async function plan<Body, Answer, Result>(
  deps: LiveDeps,
  operation: LiveOperation<Body, Answer, Result>,
  asked: LiveCall<Body>,
): Promise<Planned<Answer, Result>> {
  const { capability, apiType } = operation;
  const { call, presetId }: CompletedCall<Body> = operation.withPreset
    ? await operation.withPreset(asked)
    : { call: asked, presetId: null };
  const settings = await deps.settingsOf(call.principal.workspaceId);
  const request = readRequest(deps, operation, call, asked);
  const targets = planTargets(deps, capability, request.routable, settings, request);
  request.check?.();
  const open = openGeneration({ ...request.opening, apiType, call, presetId, settings });
  return { call, request, targets, open };
}

function readRequest<Body, Answer, Result>(
  deps: LiveDeps,
  operation: LiveOperation<Body, Answer, Result>,
  call: LiveCall<Body>,
  asked: LiveCall<Body>,
): LiveRequest<Answer, Result> {
  const request = operation.read(call, asked);
  const { urls } = request;
  if (urls === undefined) return request;
  return inlineUrls(deps, call, { ...request, urls }, (body) => operation.read({ ...call, body }, asked));
}
