/** Reads the usage in Cohere's answers. */
import { isFields } from '../../domain/fields.ts';
import { countsFromText, isCount } from '../counts.ts';
import type { NoteRepair } from '../repairs.ts';

/** The usage that an answer reports; absent fields are unknown. */
export interface CohereUsage {
  searchUnits?: number | undefined;
  /** Text and picture tokens together. */
  inputTokens?: number | undefined;
  /** Picture tokens, which `inputTokens` includes. */
  imageTokens?: number | undefined;
}

/** Reads the usage from `meta`: billed units, or else tokens. Invalid counts are ignored. */
export function readMeta(answer: Record<string, unknown>, note: NoteRepair): CohereUsage {
  const meta = objectIn(answer, 'meta');
  const [billed, tokens] = [objectIn(meta, 'billed_units'), objectIn(meta, 'tokens')];
  countsFromText({ billed, tokens }, note);
  const searchUnits = countIn(billed, 'search_units');
  const imageTokens = countIn(billed, 'image_tokens');
  const text = countIn(billed, 'input_tokens') ?? countIn(tokens, 'input_tokens');
  const inputTokens = text === undefined ? imageTokens : text + (imageTokens ?? 0);
  return { searchUnits, imageTokens, inputTokens };
}

/** Returns the object in a field, or an empty object. */
export function objectIn(fields: Record<string, unknown>, name: string): Record<string, unknown> {
  const value = fields[name];
  return isFields(value) ? value : {};
}

export function countIn(fields: Record<string, unknown>, name: string): number | undefined {
  const value = fields[name];
  return isCount(value) ? value : undefined;
}
