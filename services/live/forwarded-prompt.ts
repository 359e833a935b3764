/** Prepares the prompt of a generation for observability destinations. */
import type { BroadcastContent } from '../../domain/broadcast/event.ts';
import type { Json } from '../../domain/ledger/broadcast-facts.ts';
import { isRecord, textOf } from '../../domain/broadcast/message-text.ts';
import type { ApiType } from '../../domain/ledger/generation.ts';
import { withoutMedia } from '../ledger/bodies/without-media.ts';

type Prompt = Pick<BroadcastContent, 'input' | 'system' | 'tools'>;

/**
 * Reads a prompt as destinations receive it. `input` is without media. For dialects with a separate system prompt,
 * `input` begins with that prompt as a message. It is removed here, because destinations get the system prompt
 * separately.
 */
export function readPrompt(apiType: ApiType, input: unknown, body: unknown): Prompt {
  const messages = toMessages(input as Json);
  if (apiType !== 'completions') return { input: messages };
  const { instructions, system: apart, tools } = (body ?? {}) as { [field: string]: Json | undefined };
  const system = textOf(instructions ?? apart);
  return {
    input: system !== '' && isSystemPrompt(messages[0], system) ? messages.slice(1) : messages,
    system: system || undefined,
    tools: Array.isArray(tools) && tools.length > 0 ? (withoutMedia(tools) as Json[]) : undefined,
  };
}

function isSystemPrompt(message: Json | undefined, system: string): boolean {
  return isRecord(message) && message['role'] === 'system' && textOf(message) === system;
}

function toMessages(input: Json): Json[] {
  // A list of tokens is one text.
  const isList = Array.isArray(input) && !input.every((item) => typeof item === 'number');
  return (isList ? input : [input]).map(toMessage);
}

/** Returns an item as a message. Messages and other items of a conversation stay unchanged. */
function toMessage(item: Json): Json {
  if (typeof item === 'string') return { role: 'user', content: item };
  if (!isRecord(item)) return { role: 'user', content: JSON.stringify(item) };
  if ('role' in item || 'type' in item) return item;
  // Leave out the documents of a rerank request, which its answer repeats.
  const { query, text } = item;
  if (typeof query === 'string') return { role: 'user', content: query };
  return typeof text === 'string' ? { role: 'user', content: text } : { role: 'user', ...item };
}
