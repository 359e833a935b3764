/** Shortens the text attributes of a span to the length that an observability tool accepts. */
import type { Attributes } from './attribute.ts';

/** Stands at the end of a text that was cut. */
const MARK = '… [cut]';

/**
 * Cuts texts that are longer than a tool accepts, and marks their end. The tool itself would cut them without a mark.
 */
export function limitAttributes(attributes: Attributes, maxLength: number): Attributes {
  const limited: Attributes = {};
  for (const name in attributes) {
    const value = attributes[name]!;
    if (Array.isArray(value)) limited[name] = value.map((text) => cut(text, maxLength));
    else limited[name] = typeof value === 'string' ? cut(value, maxLength) : value;
  }
  return limited;
}

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = text.slice(0, maxLength - MARK.length);
  // A high surrogate at the end is removed: it is half of a character.
  return (/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept) + MARK;
}
