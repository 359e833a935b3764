import type { AppError, ErrorCode } from '../../../domain/errors.ts';
import type { GenerationStatus, ProviderResponse, TokenUsage } from '../../../domain/generation.ts';
import type { Target } from '../../../domain/routing.ts';
import type { TokenCost } from '../../../domain/token-price.ts';
import type { ChatChunk } from '../../../providers/chat-adapter.ts';
import { type BegunLive, failAnswered } from '../attempt-generation.ts';
import type { ChatMeter } from './chat-meter.ts';
import { settleOnce, type Settlement } from '../settle-once.ts';
import { priceOf, settleGeneration } from '../settle-generation.ts';
import type { LiveDeps } from '../live-deps.ts';
import type { PromptFacts } from '../prompt-facts.ts';

/** A stream that has begun, of whatever dialect. */
export interface BegunStream {
  target: Target;
  startedAtMs: number;
  responses: ProviderResponse[];
}

/** Its pieces are a chat's chunks, or the events of another dialect. */
export interface ChatSource<Piece = ChatChunk> extends BegunStream {
  answer: AsyncIterable<Piece[]>;
}

type Begun = BegunLive<unknown> & { prompt: PromptFacts };

/** What is read of a stream's meter at its end, whatever dialect it has seen. */
export type ReadMeter = Omit<ChatMeter, 'see'>;

export interface Bill {
  usage: TokenUsage;
  cost: TokenCost;
}

/** Settles the generation of a stream once, whoever comes first. */
export function createSettlement(
  deps: LiveDeps,
  begun: Begun,
  source: BegunStream,
  meter: ReadMeter,
): Settlement<Bill> {
  return settleOnce(deps, begun.open, (failure) => settle(deps, begun, source, meter, failure));
}

async function settle(
  deps: LiveDeps,
  begun: Begun,
  source: BegunStream,
  meter: ReadMeter,
  failure: AppError | undefined,
): Promise<Bill> {
  const { target, responses, startedAtMs } = source;
  let bill: Bill;
  try {
    const usage = meter.usage(begun.prompt.estimatedTokens, failure === undefined);
    bill = { usage, cost: priceOf({ target, usage }, begun.prompt.images) };
  } catch (cause) {
    throw await failAnswered(deps, begun, source, cause);
  }
  const { usage, cost } = bill;
  const answeredAtMs = startedAtMs + (responses.at(-1)?.latency ?? 0);
  reportHealth(deps, target, { failure, usage, startedAtMs, answeredAtMs });
  if (failure !== undefined) begun.open.draft?.fail(failure);
  await settleGeneration(deps, begun.open, begun.reservation, {
    status: statusOf(failure),
    target,
    responses,
    usage,
    costNanos: cost.totalNanos,
    upstreamCostNanos: null,
    outputModalities: ['text'],
    finishReason: failure === undefined ? meter.finishReason : 'error',
    nativeFinishReason: failure === undefined ? (meter.nativeFinishReason ?? null) : null,
    upstreamId: meter.upstreamId,
    serviceTier: meter.serviceTier,
    toolCalls: meter.toolCalls,
    answeredAtMs,
  });
  return bill;
}

function statusOf(failure: AppError | undefined): GenerationStatus {
  if (failure === undefined) return 'completed';
  return failure.code === 'client_cancelled' ? 'cancelled' : 'failed';
}

interface Course {
  failure: AppError | undefined;
  usage: TokenUsage;
  startedAtMs: number;
  answeredAtMs: number;
}

/** Too short a stream says nothing of an endpoint's speed. */
const MEASURABLE_MS = 50;

/** Nothing of these is the endpoint's fault. */
const OF_THE_CALLER = new Set<ErrorCode>(['client_cancelled', 'invalid_request', 'content_refused']);

function reportHealth(
  deps: LiveDeps,
  target: Target,
  { failure, usage, startedAtMs, answeredAtMs }: Course,
): void {
  if (failure !== undefined && OF_THE_CALLER.has(failure.code)) return;
  const answering = Date.now() - answeredAtMs;
  deps.health.record(target.endpoint.id, {
    ok: failure === undefined,
    latencyMs: answeredAtMs - startedAtMs,
    ...(answering < MEASURABLE_MS ? {} : { throughput: usage.completion / (answering / 1_000) }),
  });
}
