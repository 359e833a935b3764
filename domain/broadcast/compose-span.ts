import type { ApiType } from '../ledger/generation.ts';
import type { TokenUsage } from '../token-usage.ts';
import type { BroadcastRules } from './destination.ts';
import type { BroadcastAttempt, BroadcastEvent } from './event.ts';
import { providerName } from './provider-name.ts';
import { costAllocationOf, spanCostOf } from './span-cost.ts';
import { spanErrorOf } from './span-error.ts';
import type { BroadcastSpan, SpanAttempt, SpanIdentity, SpanOperation, SpanUsage } from './span.ts';
import { readTrace } from './trace-fields.ts';
import type { SpanIds } from './trace-id.ts';

type SentParts = Pick<BroadcastRules, 'privacyMode' | 'flags'>;

/** Turns a generation into the span that a destination with these rules may receive. */
export function composeSpan(event: BroadcastEvent, rules: SentParts, ids: SpanIds): BroadcastSpan {
  const { facts, usage } = event;
  const { name, ...trace } = readTrace(facts.trace);
  const kind = operationOf(event.apiType);
  const requestModel = facts.requestModel ?? event.model;
  const startedAtMs = event.createdAt.getTime();
  return {
    generationId: event.generationId,
    ...ids,
    name: name ?? `${kind.operation} ${requestModel}`,
    ...trace,
    ...kind,
    startedAtMs,
    // The two times come from different clocks, and no span may end before it starts.
    endedAtMs: Math.max(startedAtMs, event.settledAt.getTime()),
    error: spanErrorOf(event, rules.privacyMode),
    provider: providerName(event.provider),
    requestModel,
    responseModel: facts.responseModel ?? event.model,
    streamed: event.streamed,
    parameters: facts.parameters ?? {},
    finishReason: event.finishReason ?? undefined,
    timeToFirstTokenMs: event.streamed ? (event.latencyMs ?? undefined) : undefined,
    usage: usage === null ? undefined : spanUsageOf(usage, kind.operation),
    sessionId: event.sessionId ?? undefined,
    attempts: event.attempts.map(toSpanAttempt),
    ...flaggedParts(event, rules.flags),
    ...contentParts(event, rules.privacyMode),
  };
}

function toSpanAttempt({ provider, status, error, latencyMs }: BroadcastAttempt): SpanAttempt {
  return { provider: providerName(provider), status: status ?? undefined, error, latencyMs };
}

type FlaggedParts = Pick<BroadcastSpan, 'identity' | 'cost' | 'costAllocation' | 'requestContext'>;

function flaggedParts(event: BroadcastEvent, flags: BroadcastRules['flags']): FlaggedParts {
  return {
    cost: flags.sendsCost ? spanCostOf(event) : undefined,
    costAllocation: flags.sendsCostAllocation ? (costAllocationOf(event) ?? undefined) : undefined,
    identity: flags.sendsIdentity ? identityOf(event) : undefined,
    requestContext: flags.sendsRequestContext ? requestContextOf(event) : undefined,
  };
}

function identityOf(event: BroadcastEvent): SpanIdentity {
  return {
    user: event.userId ?? undefined,
    externalUser: event.externalUser ?? undefined,
    apiKeyName: event.key?.name,
    apiKeyHash: event.key?.hash,
    organizationId: event.organizationId,
    workspaceId: event.workspaceId,
  };
}

function requestContextOf(event: BroadcastEvent): NonNullable<BroadcastSpan['requestContext']> {
  return {
    referer: event.httpReferer ?? undefined,
    title: event.appTitle ?? undefined,
    userAgent: event.userAgent ?? undefined,
    country: event.country ?? undefined,
  };
}

/** Returns the content of a span. In privacy mode no content is sent, so none counts as dropped. */
function contentParts(
  { content, facts }: BroadcastEvent,
  isPrivate: boolean,
): Pick<BroadcastSpan, 'content' | 'isContentDropped'> {
  if (isPrivate) return { isContentDropped: false };
  if (content === null) return { isContentDropped: facts.hasContent === true };
  return { content, isContentDropped: false };
}

type Operation = Pick<BroadcastSpan, 'operation' | 'outputType'>;

/**
 * The operation of each kind of generation. The conventions have none for image, speech and video, so the output type
 * distinguishes them.
 */
const OPERATIONS: Record<ApiType, Operation> = {
  completions: { operation: 'chat' },
  embeddings: { operation: 'embeddings' },
  rerank: { operation: 'retrieval' },
  image: { operation: 'generate_content', outputType: 'image' },
  tts: { operation: 'generate_content', outputType: 'speech' },
  video: { operation: 'generate_content', outputType: 'video' },
};

/** Returns the operation and output type that the conventions give to a kind of generation. */
export function operationOf(apiType: ApiType): Operation {
  return OPERATIONS[apiType];
}

/** Returns the counted tokens. A kind that the upstream did not report is absent. */
function spanUsageOf(usage: TokenUsage, operation: SpanOperation): SpanUsage {
  // Embeddings have no output tokens. Their count is 0 because the field is required.
  const hasOutput = operation !== 'embeddings' || usage.completion > 0;
  return {
    input: usage.prompt,
    output: hasOutput ? usage.completion : undefined,
    total: usage.prompt + usage.completion,
    cacheRead: usage.cacheRead,
    cacheWrite: usage.cacheWrite,
    reasoning: usage.reasoning,
    inputAudio: usage.promptAudio,
    inputImage: usage.promptImage,
    outputAudio: usage.completionAudio,
    outputImage: usage.completionImage,
  };
}
