import type { BroadcastContent } from './event.ts';
import type { Json } from '../ledger/broadcast-facts.ts';

export type JsonRecord = { [name: string]: Json };

export function isRecord(value: Json | undefined): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the text of a message, a part, or a list of them, with a line for each text. Other values have no text. */
export function textOf(value: Json | undefined): string {
  return piecesOf(value).join('\n');
}

/** Returns the text of a prompt: the system prompt first, then every message. */
export function inputTextOf({ system, input }: BroadcastContent): string {
  return [...piecesOf(system), ...piecesOf(input)].join('\n');
}

/** Returns the texts of a value, without empty ones. */
export function piecesOf(value: Json | undefined): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(piecesOf);
  if (!isRecord(value)) return [];
  return piecesOf(value['text'] ?? value['content'] ?? value['output']);
}
