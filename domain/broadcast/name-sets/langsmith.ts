/** Names the attributes of a span as LangSmith reads them. */
import { type Attributes, presentAttributes } from '../attribute.ts';
import { isTexts, putMetadata } from '../metadata-attributes.ts';
import { UNOFFICIAL } from '../semantic-names.ts';
import type { BroadcastSpan, SpanOperation } from '../span.ts';

const SPAN_KINDS: Record<SpanOperation, string> = {
  chat: 'llm',
  generate_content: 'llm',
  embeddings: 'embedding',
  retrieval: 'retriever',
};

/**
 * Adds LangSmith's names. LangSmith reads the provider and the sum of tokens under names that the conventions dropped.
 */
export function langsmithAttributes(span: BroadcastSpan): Attributes {
  const { metadata, usage } = span;
  const { tags, ...rest } = metadata;
  const hasTags = isTexts(tags);
  const attributes = presentAttributes({
    'langsmith.span.kind': SPAN_KINDS[span.operation],
    'langsmith.trace.name': span.traceName,
    'langsmith.trace.session_id': span.sessionId,
    'langsmith.span.tags': hasTags ? tags.join(',') : undefined,
    [UNOFFICIAL.system]: span.provider,
    [UNOFFICIAL.totalTokens]: usage?.total,
    [UNOFFICIAL.reasoningTokenDetails]: usage?.reasoning,
  });
  putMetadata(attributes, 'langsmith.metadata.', hasTags ? rest : metadata);
  return attributes;
}
