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
  const error = spanErrorOf(event, rules.privacyMode);
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
    ...(error ? { error } : {}),
    provider: providerName(event.provider),
    requestModel,
    responseModel: facts.responseModel ?? event.model,
    streamed: event.streamed,
    parameters: facts.parameters ?? {},
    ...(event.finishReason === null ? {} : { finishReason: event.finishReason }),
    ...(event.streamed && event.latencyMs !== null ? { timeToFirstTokenMs: event.latencyMs } : {}),
    ...(usage === null ? {} : { usage: spanUsageOf(usage, kind.operation) }),
    ...(event.sessionId === null ? {} : { sessionId: event.sessionId }),
    attempts: event.attempts.map(toSpanAttempt),
    ...flaggedParts(event, rules.flags),
    ...contentParts(event, rules.privacyMode),
  };
}

function toSpanAttempt({ provider, status, error, latencyMs }: BroadcastAttempt): SpanAttempt {
  return {
    provider: providerName(provider),
    ...(status === null ? {} : { status }),
    ...(error === undefined ? {} : { error }),
    ...(latencyMs === undefined ? {} : { latencyMs }),
  };
}

type FlaggedParts = Pick<BroadcastSpan, 'identity' | 'cost' | 'costAllocation' | 'requestContext'>;

function flaggedParts(event: BroadcastEvent, flags: BroadcastRules['flags']): FlaggedParts {
  const costAllocation = flags.costAllocation ? costAllocationOf(event) : null;
  return {
    ...(flags.cost ? { cost: spanCostOf(event) } : {}),
    ...(costAllocation === null ? {} : { costAllocation }),
    ...(flags.identity ? { identity: identityOf(event) } : {}),
    ...(flags.requestContext ? { requestContext: requestContextOf(event) } : {}),
  };
}

function identityOf(event: BroadcastEvent): SpanIdentity {
  return {
    ...(event.userId === null ? {} : { user: event.userId }),
    ...(event.externalUser === null ? {} : { externalUser: event.externalUser }),
    ...(event.key === null ? {} : { apiKeyName: event.key.name, apiKeyHash: event.key.hash }),
    organizationId: event.organizationId,
    workspaceId: event.workspaceId,
  };
}

function requestContextOf(event: BroadcastEvent): NonNullable<BroadcastSpan['requestContext']> {
  return {
    ...(event.httpReferer === null ? {} : { referer: event.httpReferer }),
    ...(event.appTitle === null ? {} : { title: event.appTitle }),
    ...(event.userAgent === null ? {} : { userAgent: event.userAgent }),
    ...(event.country === null ? {} : { country: event.country }),
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
    ...(hasOutput ? { output: usage.completion } : {}),
    total: usage.prompt + usage.completion,
    ...optional('cacheRead', usage.cacheRead),
    ...optional('cacheWrite', usage.cacheWrite),
    ...optional('reasoning', usage.reasoning),
    ...optional('inputAudio', usage.promptAudio),
    ...optional('inputImage', usage.promptImage),
    ...optional('outputAudio', usage.completionAudio),
    ...optional('outputImage', usage.completionImage),
  };
}

function optional(kind: keyof SpanUsage, tokens: number | undefined): SpanUsage {
  return tokens === undefined ? {} : { [kind]: tokens };
}
