import { basicToken, type Placeholder } from '../placeholders.ts';
import type { MaskedText } from './value-automaton.ts';

/** A secret with its value. */
export interface OpenSecret {
  name: string;
  value: string;
}

/** A shorter value of a secret that the request does not use may be a word that the host writes anyway. */
const MIN_UNUSED_LENGTH = 8;

/** How much of the values that the request does not use is looked for. */
const MAX_UNUSED_LENGTH = 256 * 1024;

/**
 * Returns what must not come back to the intern: the values that the request uses, plain and in the Basic credentials
 * made of them, and the plain values of the other secrets for this host, which it may have kept from another request.
 */
export function maskedTexts(
  placeholders: readonly Placeholder[],
  used: readonly OpenSecret[],
  unused: readonly OpenSecret[],
): MaskedText[] {
  const values = new Map(used.map(({ name, value }) => [name, value]));
  const credentials = placeholders.flatMap(({ user, name }) => {
    if (user === undefined) return [];
    const placeholder = `{{basic:${user}:${name}}}`;
    return spellingsOf(basicToken(user, values.get(name) ?? ''), placeholder);
  });
  return [...credentials, ...used.flatMap(textsOf), ...withinLimit(unused).flatMap(textsOf)];
}

function withinLimit(secrets: readonly OpenSecret[]): OpenSecret[] {
  let length = 0;
  return secrets.filter(({ value }) => {
    if (value.length < MIN_UNUSED_LENGTH || length + value.length > MAX_UNUSED_LENGTH) return false;
    length += value.length;
    return true;
  });
}

function textsOf({ name, value }: OpenSecret): MaskedText[] {
  return spellingsOf(value, `{{secret:${name}}}`);
}

/** Returns the text as it is, and as servers commonly write it inside a JSON string. */
function spellingsOf(text: string, placeholder: string): MaskedText[] {
  const inJson = JSON.stringify(text).slice(1, -1);
  const spellings = new Set([
    text,
    inJson,
    inJson.replaceAll('/', String.raw`\/`),
    inJson.replaceAll(/[<>&]/g, (character) => escapedForHtml(character)),
  ]);
  return [...spellings].map((spelling) => ({ text: spelling, placeholder }));
}

/** Go's encoder, and Python's behind some frameworks, write these characters so. */
function escapedForHtml(character: string): string {
  return String.raw`\u00` + character.charCodeAt(0).toString(16);
}
