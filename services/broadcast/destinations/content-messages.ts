/** Turns the prompt and the answers of a generation into plain text messages for tools that take nothing else. */
import type { BroadcastContent } from '../../../domain/broadcast/event.ts';
import { isRecord } from '../../../domain/broadcast/message-text.ts';
import type { Json } from '../../../domain/ledger/broadcast-facts.ts';

export interface TextMessage {
  role: string;
  content: string;
}

/** Returns the prompt as messages of text, the system prompt first. */
export function inputMessages({ system, input }: BroadcastContent): TextMessage[] {
  const messages = input.map((message) => textMessage(message, 'user'));
  return system === undefined ? messages : [{ role: 'system', content: system }, ...messages];
}

/** Returns one message of text for each choice of the answer. */
export function outputMessages({ output }: BroadcastContent): TextMessage[] {
  return output.map((message) => textMessage(message, 'assistant'));
}

/** Returns a message as text. Other content, such as tool calls, is kept as JSON. */
function textMessage(message: Json, defaultRole: string): TextMessage {
  if (typeof message === 'string') return { role: defaultRole, content: message };
  const { role, content } = isRecord(message) ? message : {};
  return {
    role: typeof role === 'string' ? role : defaultRole,
    content: textOf(content) ?? JSON.stringify(message),
  };
}

/** Returns a text, or the texts of parts; undefined when there is none. */
function textOf(content: Json | undefined): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.flatMap((part) => {
    const text = isRecord(part) ? part['text'] : part;
    return typeof text === 'string' ? [text] : [];
  });
  return texts.length === 0 ? undefined : texts.join('\n');
}
