import { type Attributes, putAttribute } from './attribute.ts';
import { putContent } from './content-attributes.ts';
import { putMetadata } from './metadata-attributes.ts';
import {
  GEN_AI,
  GENERAL,
  METADATA_PREFIX,
  SLUICE,
  SLUICE_COST_OF_KIND,
  UNOFFICIAL,
} from './semantic-names.ts';
import type { BroadcastSpan } from './span.ts';

const COST_KINDS = Object.entries(SLUICE_COST_OF_KIND);

/**
 * Returns a span's attributes under the current names of the conventions, and Sluice's own attributes. They are added
 * to one object one by one, because this runs for every generation and destination: merging objects takes three times
 * as long.
 */
export function spanAttributes(span: BroadcastSpan): Attributes {
  const attributes: Attributes = {};
  putCall(attributes, span);
  putParameters(attributes, span.parameters);
  putUsage(attributes, span.usage);
  putCost(attributes, span);
  putIdentity(attributes, span.identity);
  putRequestContext(attributes, span.requestContext);
  putMetadata(attributes, METADATA_PREFIX, span.metadata);
  putContent(attributes, span);
  return attributes;
}

function putCall(attributes: Attributes, span: BroadcastSpan): void {
  const { finishReason, timeToFirstTokenMs } = span;
  putAttribute(attributes, GEN_AI.operationName, span.operation);
  putAttribute(attributes, GEN_AI.providerName, span.provider);
  putAttribute(attributes, GEN_AI.outputType, span.outputType);
  putAttribute(attributes, GEN_AI.conversationId, span.sessionId);
  putAttribute(attributes, GENERAL.sessionId, span.sessionId);
  putAttribute(attributes, GENERAL.errorType, span.error?.type);
  putAttribute(attributes, GENERAL.environment, span.environment);
  putAttribute(attributes, GEN_AI.requestModel, span.requestModel);
  putAttribute(attributes, GEN_AI.stream, span.streamed || undefined);
  putAttribute(attributes, GEN_AI.responseId, span.generationId);
  putAttribute(attributes, GEN_AI.responseModel, span.responseModel);
  putAttribute(attributes, GEN_AI.finishReasons, finishReason === undefined ? undefined : [finishReason]);
  if (timeToFirstTokenMs !== undefined) {
    putAttribute(attributes, GEN_AI.timeToFirstChunk, timeToFirstTokenMs / 1_000);
  }
  putAttribute(attributes, SLUICE.generationId, span.generationId);
  putAttribute(attributes, SLUICE.traceIdText, span.traceIdText);
  putAttribute(attributes, SLUICE.traceName, span.traceName);
  putAttribute(attributes, SLUICE.release, span.release);
  putAttribute(attributes, SLUICE.attempts, span.attempts.length || undefined);
}

function putParameters(attributes: Attributes, parameters: BroadcastSpan['parameters']): void {
  putAttribute(attributes, GEN_AI.temperature, parameters.temperature);
  putAttribute(attributes, GEN_AI.topP, parameters.topP);
  putAttribute(attributes, GEN_AI.topK, parameters.topK);
  putAttribute(attributes, GEN_AI.maxTokens, parameters.maxTokens);
  putAttribute(attributes, GEN_AI.seed, parameters.seed);
  putAttribute(attributes, GEN_AI.frequencyPenalty, parameters.frequencyPenalty);
  putAttribute(attributes, GEN_AI.presencePenalty, parameters.presencePenalty);
  putAttribute(attributes, GEN_AI.stopSequences, parameters.stopSequences);
  putAttribute(attributes, GEN_AI.reasoningLevel, parameters.reasoningEffort);
  // The conventions set the number of choices only if it is not 1.
  if (parameters.choiceCount !== 1) putAttribute(attributes, GEN_AI.choiceCount, parameters.choiceCount);
}

function putUsage(attributes: Attributes, usage: BroadcastSpan['usage']): void {
  if (usage === undefined) return;
  putAttribute(attributes, GEN_AI.inputTokens, usage.input);
  putAttribute(attributes, GEN_AI.outputTokens, usage.output);
  putAttribute(attributes, GEN_AI.cacheReadTokens, usage.cacheRead);
  putAttribute(attributes, GEN_AI.cacheWriteTokens, usage.cacheWrite);
  putAttribute(attributes, GEN_AI.reasoningTokens, usage.reasoning);
  putAttribute(attributes, GEN_AI.audioInputTokens, usage.inputAudio);
  putAttribute(attributes, GEN_AI.audioOutputTokens, usage.outputAudio);
  putAttribute(attributes, GEN_AI.imageInputTokens, usage.inputImage);
  putAttribute(attributes, GEN_AI.imageOutputTokens, usage.outputImage);
}

function putCost(attributes: Attributes, { cost, costAllocation }: BroadcastSpan): void {
  if (cost !== undefined) {
    putAttribute(attributes, UNOFFICIAL.cost, cost.total);
    putAttribute(attributes, SLUICE.cost, cost.total);
    putAttribute(attributes, SLUICE.upstreamCost, cost.upstream);
    putAttribute(attributes, SLUICE.isByok, cost.isByok);
  }
  if (costAllocation === undefined) return;
  for (const [kind, name] of COST_KINDS) putAttribute(attributes, name, costAllocation[kind]);
}

function putIdentity(attributes: Attributes, identity: BroadcastSpan['identity']): void {
  if (identity === undefined) return;
  putAttribute(attributes, GENERAL.userId, identity.externalUser);
  putAttribute(attributes, SLUICE.creatorId, identity.user);
  putAttribute(attributes, SLUICE.apiKeyName, identity.apiKeyName);
  putAttribute(attributes, SLUICE.apiKeyHash, identity.apiKeyHash);
  putAttribute(attributes, SLUICE.organizationId, identity.organizationId);
  putAttribute(attributes, SLUICE.workspaceId, identity.workspaceId);
}

function putRequestContext(attributes: Attributes, context: BroadcastSpan['requestContext']): void {
  if (context === undefined) return;
  putAttribute(attributes, SLUICE.referer, context.referer);
  putAttribute(attributes, SLUICE.title, context.title);
  putAttribute(attributes, GENERAL.userAgent, context.userAgent);
  putAttribute(attributes, SLUICE.country, context.country);
}
