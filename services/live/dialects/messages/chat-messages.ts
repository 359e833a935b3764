import { type Losses, saysSomething } from '../../../routing/cannot-carry.ts';
import { type Fields, fieldsIn, isFields, textOf } from '../fields.ts';
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
export function toConversation(messages: readonly Fields[], losses: Losses): Conversation {
  const system: Fields[] = [];
  const translated: Fields[] = [];
  for (const [i, message] of messages.entries()) {
    const path = `body.messages.${i}`;
    checkFields(message, path, losses);
    const { role } = message;
    if (role === 'tool') addToolResult(translated, message, path, losses);
    else if (role === 'system' || role === 'developer') {
      if (translated.length === 0) system.push(message);
      else translated.push({ role: 'system', content: contentOf(message, path, losses) });
    } else if (role === 'assistant') translated.push(toAssistant(message, path, losses));
    else translated.push({ role: 'user', content: contentOf(message, path, losses) });
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

function checkFields(message: Fields, path: string, losses: Losses): void {
  const known = KNOWN[textOf(message['role'])] ?? KNOWN_OF_OTHERS;
  for (const name in message) {
    if (!known.has(name) && saysSomething(message[name])) losses.add(`${path}.${name}`);
  }
}

/** Returns a single text as a string, anything else as text blocks. */
function toSystem(messages: readonly Fields[]): unknown {
  const [first] = messages;
  if (messages.length === 1 && typeof first?.['content'] === 'string') return first['content'];
  return messages.flatMap(({ content }) => toTextBlocks(content));
}

function addToolResult(translated: Fields[], message: Fields, path: string, losses: Losses): void {
  const result = {
    type: 'tool_result',
    tool_use_id: message['tool_call_id'],
    content: contentOf(message, path, losses),
  };
  const last = translated.at(-1);
  const [first] = Array.isArray(last?.['content']) ? fieldsIn(last['content']) : [];
  if (first?.['type'] === 'tool_result') (last!['content'] as Fields[]).push(result);
  else translated.push({ role: 'user', content: [result] });
}

/** Translates an assistant's message. Anthropic requires thinking first, then text, then tool calls. */
function toAssistant(message: Fields, path: string, losses: Losses): Fields {
  const { content, refusal, tool_calls: calls } = message;
  const thoughts = thoughtsOf(message, path, losses);
  const toolUses = Array.isArray(calls)
    ? calls.map((call, i) => toToolUse(isFields(call) ? call : {}, `${path}.tool_calls.${i}`, losses))
    : [];
  if (thoughts.length === 0 && toolUses.length === 0 && typeof content === 'string' && !refusal)
    return { role: 'assistant', content };
  const textBlocks = Array.isArray(content)
    ? (contentOf(message, path, losses) as Fields[])
    : [content, refusal].flatMap((text) => (textOf(text) === '' ? [] : [{ type: 'text', text }]));
  return { role: 'assistant', content: [...thoughts, ...textBlocks, ...toolUses] };
}

function thoughtsOf(
  { reasoning, reasoning_details: details }: Fields,
  path: string,
  losses: Losses,
): Fields[] {
  const unsigned = 'has no signature, which the provider of this model requires for reasoning';
  if (!saysSomething(details)) {
    if (saysSomething(reasoning)) losses.add(`${path}.reasoning`, unsigned);
    return [];
  }
  const foreign = 'comes from another provider, and the provider of this model would reject it';
  const blocks = toThinkingBlocks(details);
  for (const [i, detail] of fieldsIn(details).entries()) {
    if (isForeign(detail)) losses.add(`${path}.reasoning_details.${i}`, foreign);
    else if (blocks[i] === null) losses.add(`${path}.reasoning_details.${i}`, unsigned);
  }
  return blocks.filter((block) => block !== null);
}

function toToolUse(call: Fields, path: string, losses: Losses): Fields {
  const { id, type, function: called } = call;
  if (!isFields(called) || (type !== undefined && type !== 'function')) losses.add(`${path}.type`);
  const { name, arguments: text } = isFields(called) ? called : {};
  return { type: 'tool_use', id, name, input: toToolInput(text) };
}
