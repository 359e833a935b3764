/** Copies the metadata of a caller's trace to attributes of a span. */
import { type Attributes, type AttributeValue, putAttribute } from './attribute.ts';
import type { Json } from '../ledger/broadcast-facts.ts';

/** Adds the caller's own keys of `trace` below a prefix. */
export function putMetadata(
  attributes: Attributes,
  prefix: string,
  metadata: { [name: string]: Json },
): void {
  for (const key in metadata) putAttribute(attributes, prefix + key, attributeOf(metadata[key] ?? null));
}

/** Returns an attribute's value. Lists of texts stay lists; other lists and objects become JSON texts. */
function attributeOf(value: Json): AttributeValue | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'object') return value;
  return isTexts(value) ? value : JSON.stringify(value);
}

export function isTexts(value: Json | undefined): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
