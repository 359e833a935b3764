/** Writes prompts and answers as attributes of a span, in the message format of OpenTelemetry. */
import { type Attributes, putAttribute } from './attribute.ts';
import type { Json } from '../ledger/broadcast-facts.ts';
import { inputTextOf, isRecord, type JsonRecord, textOf } from './message-text.ts';
import { GEN_AI, SLUICE } from './semantic-names.ts';
import type { BroadcastSpan } from './span.ts';
import { type Part, partOf, toolCall, toolResponse } from './message-parts.ts';

/**
 * Adds prompt and answer as JSON texts in attributes. Several tools drop a span's events, and the others read
 * structured attribute values differently.
 */
export function putContent(
  attributes: Attributes,
  { content, operation, isContentDropped }: BroadcastSpan,
): void {
  putAttribute(attributes, SLUICE.contentDropped, isContentDropped || undefined);
  if (content === undefined) return;
  const { input, output, system, tools } = content;
  putAttribute(attributes, GEN_AI.inputMessages, jsonOf(toSpanMessages(input)));
  if (system)
    putAttribute(attributes, GEN_AI.systemInstructions, jsonOf([{ type: 'text', content: system }]));
  if (tools) putAttribute(attributes, GEN_AI.toolDefinitions, jsonOf(toToolDefinitions(tools)));
  if (operation === 'retrieval') {
    putAttribute(attributes, GEN_AI.retrievalQuery, inputTextOf(content));
    putAttribute(attributes, GEN_AI.retrievalDocuments, jsonOf(output.map(toDocument)));
  } else {
    putAttribute(attributes, GEN_AI.outputMessages, jsonOf(toSpanMessages(output)));
  }
  putAttribute(attributes, SLUICE.contentTruncated, content.isTruncated === true || undefined);
}

/** Converts a result of a rerank call. Its document is identified by its index in the request. */
function toDocument(result: Json): Json {
  if (!isRecord(result)) return result;
  const { index, relevance_score: score, ...fields } = result;
  return {
    ...fields,
    ...(typeof index === 'number' ? { id: String(index) } : {}),
    ...(score === undefined ? {} : { score }),
  };
}

function jsonOf(list: readonly unknown[]): string | undefined {
  return list.length === 0 ? undefined : JSON.stringify(list);
}

/** Returns the tools of a request in the form of the conventions. Tools of other kinds stay as they are. */
export function toToolDefinitions(tools: readonly Json[]): Json[] {
  return tools.map((tool) => {
    if (!isRecord(tool)) return tool;
    const { function: described, input_schema: schema, ...fields } = tool;
    if (isRecord(described)) return { type: 'function', ...described };
    if (schema === undefined) return tool;
    return { ...fields, type: 'function', parameters: schema };
  });
}

/** A message in the form of the conventions. */
interface SpanMessage {
  role: string;
  parts: Part[];
  name?: string | undefined;
  /** The reason why the model ended this choice. */
  finish_reason?: string | undefined;
}

/**
 * Returns messages of any of the three dialects in the form of the conventions. A part for which the conventions have
 * no form becomes a `generic` part.
 */
export function toSpanMessages(messages: readonly Json[]): SpanMessage[] {
  return messages.map((message) => {
    if (!isRecord(message)) return { role: 'user', parts: [{ type: 'text', content: textOf(message) }] };
    return toolItem(message) ?? toSpanMessage(message);
  });
}

function toSpanMessage(message: JsonRecord): SpanMessage {
  const { role, name, finish_reason: finishReason } = message;
  return {
    role: typeof role === 'string' ? role : 'assistant',
    parts: role === 'tool' ? [toolResponse(message['tool_call_id'], message['content'])] : partsOf(message),
    name: typeof name === 'string' ? name : undefined,
    finish_reason: typeof finishReason === 'string' ? finishReason : undefined,
  };
}

function partsOf(message: JsonRecord): Part[] {
  const { content, tool_calls: toolCalls } = message;
  const reasoning = message['reasoning'] ?? message['reasoning_content'];
  const parts: Part[] = [];
  if (typeof reasoning === 'string' && reasoning !== '')
    parts.push({ type: 'reasoning', content: reasoning });
  if (typeof content === 'string' && content !== '') parts.push({ type: 'text', content });
  if (Array.isArray(content)) parts.push(...content.map(partOf));
  if (Array.isArray(toolCalls)) {
    for (const call of toolCalls) if (isRecord(call)) parts.push(chatToolCall(call));
  }
  return parts;
}

function chatToolCall(call: JsonRecord): Part {
  const { function: called } = call;
  return isRecord(called) ? toolCall(call['id'], called['name'], called['arguments']) : partOf(call);
}

/** Converts items of the responses dialect that are not messages; null for other items. */
function toolItem(item: JsonRecord): SpanMessage | null {
  if (item['type'] === 'function_call') {
    return { role: 'assistant', parts: [toolCall(item['call_id'], item['name'], item['arguments'])] };
  }
  if (item['type'] === 'function_call_output') {
    return { role: 'tool', parts: [toolResponse(item['call_id'], item['output'])] };
  }
  if (item['type'] === 'reasoning') {
    return { role: 'assistant', parts: [{ type: 'reasoning', content: textOf(item['summary'] ?? null) }] };
  }
  return null;
}
