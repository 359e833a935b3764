/** Converts conversations of all three dialects to the message format of OpenTelemetry. */
import type { Json } from '../ledger/broadcast-facts.ts';
import { isRecord, type JsonRecord, textOf } from './message-text.ts';
import { type Part, partOf, toolCall, toolResponse } from './message-parts.ts';

/** A message in the form of the conventions. */
export interface SpanMessage {
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
