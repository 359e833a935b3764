/** Removes the ids by which OpenAI would load thoughts from responses that it stored. */
import { type Fields, isFields } from '../../../domain/fields.ts';

/**
 * Returns the fields of a request without the ids of thoughts that have no encrypted content. OpenAI looks up such a
 * thought by its id, among all responses that are stored under the credential (ADR 0074). Other vendors read its text.
 */
export function withoutThoughtIds(fields: Fields): Fields {
  const { input } = fields;
  if (!Array.isArray(input) || !input.some(isUnsealed)) return fields;
  return { ...fields, input: input.map((item: unknown) => (isUnsealed(item) ? withoutId(item) : item)) };
}

function isUnsealed(item: unknown): item is Fields {
  return (
    isFields(item) && item['type'] === 'reasoning' && !item['encrypted_content'] && item['id'] !== undefined
  );
}

function withoutId(item: Fields): Fields {
  const { id: _, ...others } = item;
  return others;
}
