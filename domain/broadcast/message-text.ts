import type { BroadcastContent } from './event.ts';
import type { Json } from '../ledger/broadcast-facts.ts';

export type JsonRecord = { [name: string]: Json };

export function isRecord(value: Json | undefined): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the text of a message, a part, or a list of them, with a line for each text. Other values have no text. */
export function textOf(value: Json | undefined): string {
  return pieces(value).join('\n');
}

/** Returns the text of a prompt: the system prompt first, then every message. */
export function inputTextOf({ system, input }: BroadcastContent): string {
  return [...pieces(system), ...pieces(input)].join('\n');
}

function pieces(value: Json | undefined): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(pieces);
  if (!isRecord(value)) return [];
  return pieces(value['text'] ?? value['content'] ?? value['output']);
}
