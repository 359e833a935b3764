/** Translates what callers say that their texts are for, whose values differ by vendor. */

/** The values of several vendors, by what they mean. */
const MEANINGS = new Map<unknown, string>([
  ['query', 'query'],
  ['search_query', 'query'],
  ['document', 'document'],
  ['passage', 'document'],
  ['search_document', 'document'],
]);

/** A vendor's names for what texts are for. */
type VendorNames = { query: string; document: string } & Record<string, string>;

/** Returns the vendor's name for an `input_type`, or the type itself if it is another one; undefined for none. */
export function toInputType(type: unknown, names: VendorNames): string | undefined {
  if (typeof type !== 'string') return undefined;
  const meaning = MEANINGS.get(type) ?? type;
  return Object.hasOwn(names, meaning) ? names[meaning] : type;
}
