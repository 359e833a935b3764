/** Converts parts of chat, messages and responses requests to the message format of OpenTelemetry. */
import type { Json } from '../ledger/broadcast-facts.ts';
import { isRecord, type JsonRecord } from './message-text.ts';

/** A part of a message in the form of the conventions. */
export type Part = { type: string } & JsonRecord;

/** The types that the dialects give to plain text. */
const TEXT_TYPES: ReadonlySet<Json | undefined> = new Set(['text', 'input_text', 'output_text']);

/** Returns a part of any of the three dialects in the form of the conventions. */
export function partOf(part: Json): Part {
  if (typeof part === 'string') return { type: 'text', content: part };
  if (!isRecord(part)) return { type: 'generic', generic_type: 'unknown', value: part };
  const { type } = part;
  if (TEXT_TYPES.has(type) && typeof part['text'] === 'string')
    return { type: 'text', content: part['text'] };
  if (type === 'thinking' && typeof part['thinking'] === 'string') {
    return { type: 'reasoning', content: part['thinking'] };
  }
  if (type === 'tool_use') return toolCall(part['id'], part['name'], part['input']);
  if (type === 'tool_result') return toolResponse(part['tool_use_id'], part['content']);
  return (
    pictureLink(part) ?? {
      ...part,
      type: 'generic',
      generic_type: typeof type === 'string' ? type : 'unknown',
    }
  );
}

/** Returns a tool call. Arguments that are JSON text are parsed; other arguments stay as the model wrote them. */
export function toolCall(id: Json | undefined, name: Json | undefined, args: Json | undefined): Part {
  return {
    type: 'tool_call',
    ...(typeof id === 'string' ? { id } : {}),
    name: typeof name === 'string' ? name : 'unknown',
    ...(args === undefined ? {} : { arguments: typeof args === 'string' ? parseJson(args) : args }),
  };
}

export function toolResponse(id: Json | undefined, response: Json | undefined): Part {
  return {
    type: 'tool_call_response',
    ...(typeof id === 'string' ? { id } : {}),
    response: response ?? null,
  };
}

/** Returns a part for a picture's link; null for an inline picture, whose data was removed before. */
function pictureLink(part: JsonRecord): Part | null {
  const { image_url: image } = part;
  const uri = isRecord(image) ? image['url'] : image;
  return typeof uri === 'string' && /^https?:/.test(uri) ? { type: 'uri', modality: 'image', uri } : null;
}

/**
 * The deepest nesting of JSON arguments that are parsed. Deeper ones stay text, because exporters encode recursively
 * and would fail.
 */
const MAX_DEPTH = 64;

function parseJson(text: string): Json {
  if (isDeeperThan(MAX_DEPTH, text)) return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/**
 * Returns whether JSON may be nested deeper than the limit. Brackets within texts count too, so the answer can be a
 * false positive.
 */
function isDeeperThan(limit: number, json: string): boolean {
  let depth = 0;
  for (const character of json) {
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    if (depth > limit) return true;
  }
  return false;
}
