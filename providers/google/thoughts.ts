/** Translates the signatures of thoughts between Gemini's parts and `reasoning_details` of a chat message. */
import { type Fields, fieldsIn, textOf } from '../../domain/fields.ts';
import { hasContent } from '../../domain/unsupported-fields.ts';
import { THOUGHT_FIELDS } from '../foreign-thoughts.ts';

/*
 * Gemini signs parts: those with a call of a tool, or the last text. Newer models refuse the next turn if a signature
 * does not come back with its part (ai.google.dev/gemini-api/docs/thought-signatures, quoted by Vercel's client, read
 * 2026-11-28). A signature is an entry of the type that OpenRouter's reference has for it; `id` names the call.
 */
const FORMAT = 'google-gemini-v1';

/** The value that Google documents for calls whose signature is not known, such as those of another vendor's model. */
export const UNKNOWN_SIGNATURE = 'skip_thought_signature_validator';

/** Returns the entry of `reasoning_details` for a signature; `id` is that of the signed call. */
export function signatureDetail(signature: string, index: number, id?: string): Fields {
  return {
    type: 'reasoning.encrypted',
    data: signature,
    format: FORMAT,
    index,
    ...(id !== undefined && { id }),
  };
}

/** Returns the entry of `reasoning_details` for the text of a thought. */
export function thoughtDetail(text: string, index: number): Fields {
  return { type: 'reasoning.text', text, format: FORMAT, index };
}

/** The signatures of a message: those of calls by the ids of these, and that of its text. */
export interface Signatures {
  ofCalls: ReadonlyMap<string, string>;
  ofText: string | undefined;
}

/**
 * Finds the signatures in the details of a message with these calls. A dialect may have lost to which call a signature
 * belongs; then it is that of the first call without one, or of the text if there is none.
 */
export function signaturesIn(details: unknown, callIds: readonly string[]): Signatures {
  const ofCalls = new Map<string, string>();
  const others: string[] = [];
  let ofText: string | undefined;
  for (const { type, format, data, id } of fieldsIn(details)) {
    if (type !== 'reasoning.encrypted' || format !== FORMAT || typeof data !== 'string') continue;
    if (id === undefined) ofText = data;
    else if (callIds.includes(textOf(id))) ofCalls.set(textOf(id), data);
    else others.push(data);
  }
  for (const signature of others) {
    const call = callIds.find((id) => !ofCalls.has(id));
    if (call === undefined) ofText ??= signature;
    else ofCalls.set(call, signature);
  }
  return { ofCalls, ofText };
}

/** Returns a message without texts of thoughts, and without signatures of other vendors, which `drop` notes. */
export function withoutForeignThoughts(message: Fields, drop: (name: string) => void): Fields {
  if (THOUGHT_FIELDS.every((name) => message[name] === undefined)) return message;
  const { reasoning, reasoning_content: older, reasoning_details: all, ...rest } = message;
  const details = fieldsIn(all);
  const kept = details.filter(({ format }) => format === FORMAT);
  if (kept.length < details.length) drop('reasoning_details');
  if (kept.length > 0) return { ...rest, reasoning_details: kept };
  if (details.length === 0 && hasContent(reasoning)) drop('reasoning');
  if (details.length === 0 && hasContent(older)) drop('reasoning_content');
  return rest;
}
