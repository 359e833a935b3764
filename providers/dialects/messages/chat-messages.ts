/** Translates the conversation of a chat request to Anthropic's dialect. */
import { type UnsupportedFields, hasContent } from '../../../domain/unsupported-fields.ts';
import { type Fields, fieldsIn, isFields, textOf } from '../../../domain/fields.ts';
import { contentOf, toTextBlocks } from './chat-parts.ts';
import { isForeign, toThinkingBlocks } from './thinking.ts';
import { toToolInput } from './tool-input.ts';

/** The conversation in Anthropic's shape: `system` and `messages` of a messages request. */
export interface Conversation {
  system?: unknown;
  messages: Fields[];
}

/**
 * Translates a chat's messages to Anthropic's shape. Leading system messages become `system`; later ones stay in place.
 * Results of tools that were called together become one user message.
 */
export function toConversation(messages: readonly Fields[], unsupported: UnsupportedFields): Conversation {
  const system: Fields[] = [];
  const translated: Fields[] = [];
  for (const [i, message] of messages.entries()) {
    const path = `body.messages.${i}`;
    const { role } = message;
    unsupported.addOthers(message, path, KNOWN[textOf(role)] ?? KNOWN_OF_OTHERS);
    if (role === 'tool') addToolResult(translated, message, path, unsupported);
    else if (role === 'system' || role === 'developer') {
      if (translated.length === 0) system.push(message);
      else translated.push({ role: 'system', content: contentOf(message, path, unsupported) });
    } else if (role === 'assistant') translated.push(toAssistant(message, path, unsupported));
    else translated.push({ role: 'user', content: contentOf(message, path, unsupported) });
  }
  return system.length === 0 ? { messages: translated } : { system: toSystem(system), messages: translated };
}

/**
 * The fields that are translated, by the message's role. The `name` of a tool's result is ignored, because it only
 * repeats the name of its call.
 */
const KNOWN: Readonly<Record<string, ReadonlySet<string>>> = {
  tool: new Set(['role', 'content', 'tool_call_id', 'name']),
  assistant: new Set(['role', 'content', 'tool_calls', 'reasoning', 'reasoning_details', 'refusal']),
};
const KNOWN_OF_OTHERS = new Set(['role', 'content']);

/** Returns a single text as a string, anything else as text blocks. */
function toSystem(messages: readonly Fields[]): unknown {
  const [first] = messages;
  if (messages.length === 1 && typeof first?.['content'] === 'string') return first['content'];
  return messages.flatMap(({ content }) => toTextBlocks(content));
}

function addToolResult(
  translated: Fields[],
  message: Fields,
  path: string,
  unsupported: UnsupportedFields,
): void {
  const result = {
    type: 'tool_result',
    tool_use_id: message['tool_call_id'],
    content: contentOf(message, path, unsupported),
  };
  const last = translated.at(-1);
  const [first] = Array.isArray(last?.['content']) ? fieldsIn(last['content']) : [];
  if (first?.['type'] === 'tool_result') (last!['content'] as Fields[]).push(result);
  else translated.push({ role: 'user', content: [result] });
}

/** Translates an assistant's message. Anthropic requires thinking first, then text, then tool calls. */
function toAssistant(message: Fields, path: string, unsupported: UnsupportedFields): Fields {
  const { content, refusal, tool_calls: calls } = message;
  const reasoningBlocks = reasoningBlocksOf(message, path, unsupported);
  const toolUses = Array.isArray(calls)
    ? calls.map((call, i) => toToolUse(isFields(call) ? call : {}, `${path}.tool_calls.${i}`, unsupported))
    : [];
  if (reasoningBlocks.length === 0 && toolUses.length === 0 && typeof content === 'string' && !refusal)
    return { role: 'assistant', content };
  const textBlocks = Array.isArray(content)
    ? (contentOf(message, path, unsupported) as Fields[])
    : [content, refusal].flatMap((text) => (textOf(text) === '' ? [] : [{ type: 'text', text }]));
  return { role: 'assistant', content: [...reasoningBlocks, ...textBlocks, ...toolUses] };
}

function reasoningBlocksOf(
  { reasoning, reasoning_details: details }: Fields,
  path: string,
  unsupported: UnsupportedFields,
): Fields[] {
  const unsigned = 'has no signature, which the provider of this model requires for reasoning';
  if (!hasContent(details)) {
    if (hasContent(reasoning)) unsupported.add(`${path}.reasoning`, unsigned);
    return [];
  }
  const foreign = 'comes from another provider, and the provider of this model would reject it';
  const blocks = toThinkingBlocks(details);
  for (const [i, detail] of fieldsIn(details).entries()) {
    if (isForeign(detail)) unsupported.add(`${path}.reasoning_details.${i}`, foreign);
    else if (blocks[i] === null) unsupported.add(`${path}.reasoning_details.${i}`, unsigned);
  }
  return blocks.filter((block) => block !== null);
}

function toToolUse(call: Fields, path: string, unsupported: UnsupportedFields): Fields {
  const { id, type, function: called } = call;
  if (!isFields(called) || (type !== undefined && type !== 'function')) unsupported.add(`${path}.type`);
  const { name, arguments: text } = isFields(called) ? called : {};
  return { type: 'tool_use', id, name, input: toToolInput(text) };
}
