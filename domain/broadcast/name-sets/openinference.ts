/** Names the attributes of a span by the OpenInference conventions. */
import { type Attributes, type AttributeValue, presentAttributes } from '../attribute.ts';
import type { Json } from '../../ledger/broadcast-facts.ts';
import { inputTextOf, textOf } from '../message-text.ts';
import { GEN_AI, GENERAL } from '../semantic-names.ts';
import type { BroadcastSpan, SpanOperation } from '../span.ts';

const SPAN_KINDS: Record<SpanOperation, string> = {
  chat: 'LLM',
  generate_content: 'LLM',
  embeddings: 'EMBEDDING',
  retrieval: 'RERANKER',
};

/** The attribute that holds the model's name, for each kind of span. */
const MODEL_NAMES: Record<SpanOperation, string> = {
  chat: 'llm.model_name',
  generate_content: 'llm.model_name',
  embeddings: 'embedding.model_name',
  retrieval: 'reranker.model_name',
};

/** Adds OpenInference's names, which Arize reads in place of OpenTelemetry's. */
export function openInferenceAttributes(span: BroadcastSpan): Attributes {
  const { operation, usage, metadata, parameters, cost } = span;
  return presentAttributes({
    'openinference.span.kind': SPAN_KINDS[operation],
    [MODEL_NAMES[operation]]: span.responseModel,
    'llm.provider': span.provider,
    'llm.invocation_parameters': jsonOf(parametersOf(parameters)),
    'llm.token_count.prompt': usage?.input,
    'llm.token_count.completion': usage?.output,
    'llm.token_count.total': usage?.total,
    'llm.token_count.prompt_details.cache_read': usage?.cacheRead,
    'llm.token_count.prompt_details.cache_write': usage?.cacheWrite,
    'llm.token_count.prompt_details.audio': usage?.inputAudio,
    'llm.token_count.completion_details.reasoning': usage?.reasoning,
    'llm.token_count.completion_details.audio': usage?.outputAudio,
    'llm.cost.total': cost?.total,
    [GENERAL.sessionId]: span.sessionId,
    [GENERAL.userId]: span.identity?.externalUser,
    metadata: jsonOf(metadata),
    ...contentDraft(span),
  });
}

function contentDraft({ content, operation }: BroadcastSpan): { [name: string]: AttributeValue | undefined } {
  if (content === undefined) return {};
  const input = inputTextOf(content);
  const output = content.outputText ?? textOf(content.output);
  return {
    'input.value': input,
    'output.value': output,
    'reranker.query': operation === 'retrieval' ? input : undefined,
    ...(operation === 'chat' ? messageDraft('llm.input_messages', content.input) : {}),
    ...(operation === 'chat' ? messageDraft('llm.output_messages', content.output) : {}),
  };
}

/** Returns a list of messages as numbered attributes, which is OpenInference's form. */
function messageDraft(prefix: string, messages: readonly Json[]): { [name: string]: string } {
  const draft: { [name: string]: string } = {};
  messages.forEach((message, index) => {
    const role =
      typeof message === 'object' && message !== null && 'role' in message ? message['role'] : null;
    draft[`${prefix}.${index}.message.role`] = typeof role === 'string' ? role : '';
    draft[`${prefix}.${index}.message.content`] = textOf(message);
  });
  return draft;
}

/** Returns the parameters under the last part of their conventional names, which providers share. */
function parametersOf(parameters: BroadcastSpan['parameters']): { [name: string]: Json } {
  const draft: { [name: string]: Json } = {};
  for (const key of ['temperature', 'topP', 'topK', 'maxTokens', 'seed', 'stopSequences'] as const) {
    const value = parameters[key];
    if (value !== undefined) draft[GEN_AI[key].slice('gen_ai.request.'.length)] = value;
  }
  return draft;
}

function jsonOf(fields: { [name: string]: Json }): string | undefined {
  return Object.keys(fields).length === 0 ? undefined : JSON.stringify(fields);
}
