/** Names the attributes of a span as Langfuse reads them. */
import { type Attributes, presentAttributes } from '../attribute.ts';
import { isTexts, putMetadata } from '../metadata-attributes.ts';
import type { BroadcastSpan, SpanOperation } from '../span.ts';

const OBSERVATION_TYPES: Record<SpanOperation, string> = {
  chat: 'generation',
  generate_content: 'generation',
  embeddings: 'embedding',
  retrieval: 'retriever',
};

/**
 * Adds Langfuse's names. Langfuse filters by metadata only below its own prefix, and accepts costs and usage as JSON
 * texts.
 */
export function langfuseAttributes(span: BroadcastSpan): Attributes {
  const { metadata, startedAtMs, timeToFirstTokenMs } = span;
  const { tags, ...rest } = metadata;
  const hasTags = isTexts(tags);
  const attributes = presentAttributes({
    'langfuse.observation.type': OBSERVATION_TYPES[span.operation],
    'langfuse.trace.name': span.traceName,
    'langfuse.trace.tags': hasTags ? tags : undefined,
    'langfuse.environment': span.environment,
    'langfuse.release': span.release,
    'langfuse.observation.completion_start_time':
      timeToFirstTokenMs === undefined ? undefined : new Date(startedAtMs + timeToFirstTokenMs).toISOString(),
    'langfuse.observation.usage_details': usageDetails(span),
    'langfuse.observation.cost_details': costDetails(span),
  });
  putMetadata(attributes, 'langfuse.trace.metadata.', hasTags ? rest : metadata);
  return attributes;
}

/** Returns the usage by kind. Langfuse adds the kinds up, so no token may count in two of them. */
function usageDetails({ usage }: BroadcastSpan): string | undefined {
  if (usage === undefined) return undefined;
  const { input, output, total, cacheRead, cacheWrite, reasoning } = usage;
  return JSON.stringify({
    input: less(input, (cacheRead ?? 0) + (cacheWrite ?? 0)),
    output: less(output, reasoning),
    input_cached_tokens: cacheRead,
    input_cache_creation: cacheWrite,
    output_reasoning_tokens: reasoning,
    total,
  });
}

function less(all: number | undefined, part = 0): number | undefined {
  return all === undefined ? undefined : Math.max(0, all - part);
}

/** Returns the costs under the names that the usage has, so that Langfuse shows them side by side. */
function costDetails({ cost, costAllocation }: BroadcastSpan): string | undefined {
  if (cost === undefined && costAllocation === undefined) return undefined;
  const { prompt, completion, cacheRead, cacheWrite, reasoning, ...others } = costAllocation ?? {};
  return JSON.stringify({
    input: prompt,
    output: completion,
    input_cached_tokens: cacheRead,
    input_cache_creation: cacheWrite,
    output_reasoning_tokens: reasoning,
    ...others,
    total: cost?.total,
  });
}
