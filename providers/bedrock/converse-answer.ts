/** Translates the answers of Bedrock's Converse to Anthropic's dialect. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Fields, fieldsIn, isFields, textOf } from '../../domain/fields.ts';
import { MessageRepair } from '../anthropic/message-repair.ts';
import { malformedAnswer } from '../answer-checks.ts';
import { countsFromText, isCount } from '../counts.ts';
import type { DialectObject } from '../dialect-adapter.ts';
import { answerFailed } from '../dialects/answer-failed.ts';
import { newMessage, newToolUse, USAGE_WITHOUT_COUNTS } from '../dialects/messages/new-message.ts';
import { refusedContent } from '../refused-content.ts';
import type { NoteRepair } from '../repairs.ts';

/** Returns the message of a whole answer. Throws ProviderError. */
export function toMessage(
  answer: Fields,
  { id, model }: { id: string | undefined; model: string },
  note: NoteRepair,
): DialectObject {
  const { output, stopReason, usage } = answer;
  const message = isFields(output) && isFields(output['message']) ? output['message'] : {};
  if (!Array.isArray(message['content'])) throw malformedAnswer('no list of blocks');
  const content = fieldsIn(message['content']).flatMap(toBlock);
  const repair = new MessageRepair(note);
  for (const block of content) repair.addBlock(block);
  const stop = stopOf(stopReason, content.length > 0);
  repair.addReason(stop);
  return {
    ...newMessage(id, model),
    content,
    ...stop,
    stop_reason: repair.missingReason() ?? stop['stop_reason'],
    usage: toUsage(usage, answer['serviceTier'], note),
  };
}

/** Returns the id that AWS gives to a request. */
export function requestIdOf(headers: IncomingHttpHeaders): string | undefined {
  return textOf(headers['x-amzn-requestid']) || undefined;
}

/** Returns the block of an answer in a list; an empty list for a kind that the dialect does not have. */
function toBlock({ text, toolUse, reasoningContent, citationsContent }: Fields): Fields[] {
  if (typeof text === 'string') return [textBlock(text)];
  if (isFields(toolUse)) {
    const { toolUseId, name, input } = toolUse;
    return [newToolUse(textOf(toolUseId), name, input as object)];
  }
  if (isFields(reasoningContent)) return thoughtIn(reasoningContent);
  if (!isFields(citationsContent)) return [];
  return [
    textBlock(
      fieldsIn(citationsContent['content'])
        .map((part) => textOf(part['text']))
        .join(''),
    ),
  ];
}

function thoughtIn({ reasoningText, redactedContent }: Fields): Fields[] {
  if (typeof redactedContent === 'string') return [{ type: 'redacted_thinking', data: redactedContent }];
  if (!isFields(reasoningText)) return [];
  const { text, signature } = reasoningText;
  return [{ type: 'thinking', thinking: textOf(text), signature: textOf(signature) }];
}

export function textBlock(text: string): Fields {
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
  return {
    stop_reason: 'refusal',
    stop_details: { type: 'refusal', category: null, explanation: reason },
  };
}

/**
 * Returns the counts under Anthropic's names; undefined if one of them is invalid, because the bill depends on them.
 * Converse counts as Anthropic does: the tokens of a prompt without those that a cache had or took.
 */
export function toUsage(usage: unknown, tier: unknown, note: NoteRepair): Fields | undefined {
  if (!isFields(usage)) return undefined;
  for (const counts of [usage, ...fieldsIn(usage['cacheDetails'])]) countsFromText(counts, note);
  const counts = [
    usage['inputTokens'],
    usage['outputTokens'],
    usage['cacheReadInputTokens'] ?? 0,
    usage['cacheWriteInputTokens'] ?? 0,
  ];
  if (!counts.every(isCount)) return undefined;
  const [input, output, read, written] = counts;
  const type = isFields(tier) ? textOf(tier['type']) : '';
  return {
    ...USAGE_WITHOUT_COUNTS,
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    cache_creation: writtenBy(usage['cacheDetails']),
    service_tier: type === '' ? null : type,
  };
}

/** Returns the written tokens by the time that a cache keeps them; null if Converse does not tell. */
function writtenBy(details: unknown): Fields | null {
  const entries = fieldsIn(details);
  if (entries.length === 0) return null;
  const sum = (ttl: string): number =>
    entries.reduce((total, { ttl: of, inputTokens }) => {
      return of === ttl && isCount(inputTokens) ? total + inputTokens : total;
    }, 0);
  return { ephemeral_5m_input_tokens: sum('5m'), ephemeral_1h_input_tokens: sum('1h') };
}
