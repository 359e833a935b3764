/** Translates the answers of Bedrock's Converse to Anthropic's dialect. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Fields, fieldsIn, fieldsOf, isFields, textOf } from '../../domain/fields.ts';
import { MessageRepair } from '../anthropic/message-repair.ts';
import { malformedAnswer } from '../answer-checks.ts';
import { countsFromText, isCount } from '../counts.ts';
import type { DialectObject } from '../dialect-adapter.ts';
import { answerFailed } from '../dialects/answer-failed.ts';
import { newToolUse, USAGE_WITHOUT_COUNTS } from '../dialects/messages/new-message.ts';
import { refusedContent } from '../refused-content.ts';
import type { NoteRepair } from '../repairs.ts';

/** Returns the message of a whole answer, made from an empty one. Throws ProviderError. */
export function toMessage(answer: Fields, empty: DialectObject, note: NoteRepair): DialectObject {
  const { content: given } = fieldsOf(fieldsOf(answer['output'])['message']);
  if (!Array.isArray(given)) throw malformedAnswer('no list of blocks');
  const content = fieldsIn(given).flatMap(toBlocks);
  const repair = new MessageRepair(note);
  for (const block of content) repair.addBlock(block);
  const stop = stopOf(answer['stopReason'], content.length > 0);
  repair.addReason(stop);
  return {
    ...empty,
    content,
    ...stop,
    stop_reason: repair.missingReason() ?? stop['stop_reason'],
    usage: toUsage(answer, note),
  };
}

/** Returns the id that AWS gives to a request. */
export function requestIdOf(headers: IncomingHttpHeaders): string | undefined {
  return textOf(headers['x-amzn-requestid']) || undefined;
}

/** Returns the block for a content, or for a piece of it; an empty list for a kind that the dialect does not have. */
export function toBlocks({ text, toolUse, reasoningContent, citationsContent }: Fields): Fields[] {
  if (typeof text === 'string') return [textBlock(text)];
  if (isFields(toolUse)) {
    const { toolUseId, name, input } = toolUse;
    return [newToolUse(textOf(toolUseId), name, input as object)];
  }
  if (isFields(reasoningContent)) return thoughtsIn(reasoningContent);
  if (!isFields(citationsContent)) return [];
  const parts = fieldsIn(citationsContent['content']).map((part) => textOf(part['text']));
  return [textBlock(parts.join(''))];
}

/** Returns the thought of a content in a list. Only a whole one is in `reasoningText`; a piece is not. */
function thoughtsIn(content: Fields): Fields[] {
  const { redactedContent, reasoningText = content } = content;
  if (typeof redactedContent === 'string') return [{ type: 'redacted_thinking', data: redactedContent }];
  const { text, signature } = fieldsOf(reasoningText);
  if (text === undefined && signature === undefined) return [];
  return [{ type: 'thinking', thinking: textOf(text), signature: textOf(signature) }];
}

function textBlock(text: string): Fields {
  return { type: 'text', text, citations: null };
}

/** The stop reasons of a guardrail and of the filters of AWS. */
const REFUSED = new Set<unknown>(['guardrail_intervened', 'content_filtered']);
/** The stop reasons of an answer that the model has broken. */
const BROKEN = new Set<unknown>(['malformed_model_output', 'malformed_tool_use']);

/**
 * Returns the stop reason under Anthropic's name. A guardrail that replaced the answer by words of its own ends it with
 * a refusal. Throws ProviderError for a guardrail that left no words, and for a broken answer.
 */
export function stopOf(reason: unknown, hasContent: boolean): Fields {
  if (BROKEN.has(reason)) throw answerFailed();
  if (typeof reason !== 'string' || reason === '') return { stop_reason: null };
  if (!REFUSED.has(reason)) return { stop_reason: reason };
  if (!hasContent) throw refusedContent(reason);
  return { stop_reason: 'refusal', stop_details: { type: 'refusal', category: null, explanation: reason } };
}

/**
 * Returns the counts under Anthropic's names; undefined if one of them is invalid, because the bill depends on them.
 * Converse counts as Anthropic does: the tokens of a prompt without those that a cache had or took.
 */
export function toUsage({ usage, serviceTier }: Fields, note: NoteRepair): Fields | undefined {
  if (!isFields(usage)) return undefined;
  const details = fieldsIn(usage['cacheDetails']);
  for (const counts of [usage, ...details]) countsFromText(counts, note);
  const counted = {
    input_tokens: usage['inputTokens'],
    output_tokens: usage['outputTokens'],
    cache_read_input_tokens: usage['cacheReadInputTokens'] ?? 0,
    cache_creation_input_tokens: usage['cacheWriteInputTokens'] ?? 0,
  };
  if (!Object.values(counted).every(isCount)) return undefined;
  return {
    ...USAGE_WITHOUT_COUNTS,
    ...counted,
    cache_creation: details.length === 0 ? null : writtenBy(details),
    service_tier: textOf(fieldsOf(serviceTier)['type']) || null,
  };
}

/** Returns the written tokens by the time that a cache keeps them. */
function writtenBy(details: Fields[]): Fields {
  const written = { '5m': 0, '1h': 0 };
  for (const { ttl, inputTokens } of details)
    if (isCount(inputTokens) && (ttl === '5m' || ttl === '1h')) written[ttl] += inputTokens;
  return { ephemeral_5m_input_tokens: written['5m'], ephemeral_1h_input_tokens: written['1h'] };
}
