/**
 * Carries encrypted thoughts of a vendor through Anthropic's dialect, whose block for them has only `data`. The sealed
 * data also names the vendor's format and the call that the thought belongs to. Without them the thought could not
 * return to its vendor, and Anthropic would refuse it in a conversation that goes on with Claude.
 */
import { type Fields, isFields } from '../domain/fields.ts';

const SEAL = 'sluice-thought:';

/** Returns the data of a block for an entry of `reasoning_details`. */
export function sealThought({ data, format, id }: Fields): string {
  return SEAL + Buffer.from(JSON.stringify({ data, format, id })).toString('base64url');
}

export function isSealed(data: unknown): data is string {
  return typeof data === 'string' && data.startsWith(SEAL);
}

/** Returns the fields of the entry that was sealed; undefined for other data. */
export function openThought(data: unknown): Fields | undefined {
  if (!isSealed(data)) return undefined;
  try {
    const opened: unknown = JSON.parse(Buffer.from(data.slice(SEAL.length), 'base64url').toString());
    return isFields(opened) ? opened : undefined;
  } catch {
    return undefined;
  }
}
