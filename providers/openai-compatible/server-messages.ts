/** Adapts the messages of a request to what a server of OpenAI's wire understands. */
import type { Deviation } from '../../domain/catalog/deviations.ts';
import { type Fields, isFields } from '../../domain/fields.ts';

/** Returns the messages as the server understands them, and the given list when none of them changes. */
export function adaptMessages(messages: unknown[], deviations: readonly Deviation[]): unknown[] {
  const changes = [
    ...(deviations.includes('developer_role') ? [] : [withSystemRole]),
    thoughtsFor(deviations),
    ...(deviations.includes('no_names') ? [withoutName] : []),
    ...(deviations.includes('text_content') ? [withText] : []),
  ];
  let isChanged = false;
  const adapted = messages.map((message) => {
    if (!isFields(message)) return message;
    const changed = changes.reduce((current, change) => change(current), message);
    isChanged ||= changed !== message;
    return changed;
  });
  return isChanged ? adapted : messages;
}

type Change = (message: Fields) => Fields;

function withSystemRole(message: Fields): Fields {
  return message['role'] === 'developer' ? { ...message, role: 'system' } : message;
}

function withoutName(message: Fields): Fields {
  if (message['name'] === undefined) return message;
  const { name: _, ...rest } = message;
  return rest;
}

function withText(message: Fields): Fields {
  const { content } = message;
  if (!Array.isArray(content) || !content.every(isText)) return message;
  return { ...message, content: content.map(({ text }) => text).join('\n') };
}

function isText(part: unknown): part is { text: string } {
  return isFields(part) && part['type'] === 'text' && typeof part['text'] === 'string';
}

/** Returns the change of a message's thoughts: under both names, under one of them, or without them. */
function thoughtsFor(deviations: readonly Deviation[]): Change {
  if (deviations.includes('no_thoughts')) return withoutThoughts;
  return deviations.includes('reasoning_name') ? withReasoning : withBothNames;
}

function thoughtOf({ reasoning, reasoning_content: older }: Fields): string | undefined {
  const thought = typeof reasoning === 'string' ? reasoning : older;
  return typeof thought === 'string' ? thought : undefined;
}

function withBothNames(message: Fields): Fields {
  const thought = thoughtOf(message);
  if (thought === undefined) return message;
  return message['reasoning'] === thought && message['reasoning_content'] === thought
    ? message
    : { ...message, reasoning: thought, reasoning_content: thought };
}

function withReasoning(message: Fields): Fields {
  const thought = thoughtOf(message);
  if (thought === undefined) return message;
  const { reasoning_content: _, reasoning_details: __, ...rest } = message;
  return { ...rest, reasoning: thought };
}

function withoutThoughts(message: Fields): Fields {
  if (thoughtOf(message) === undefined) return message;
  const { reasoning: _, reasoning_content: __, reasoning_details: ___, ...rest } = message;
  return rest;
}
