import type { ScimAttribute } from './attribute.ts';
import type { Comparison, FilterValue } from './filter.ts';
import { refuse } from './refuse.ts';

/**
 * Returns the value that a filter compares an attribute with. Throws if the attribute's type does not allow the
 * comparison.
 */
export function comparisonValue(
  attribute: ScimAttribute,
  op: Comparison,
  value: FilterValue,
): string | boolean | null {
  const isEquality = op === 'eq' || op === 'ne';
  if (value === null) {
    if (!isEquality) throw refuse('invalidFilter', `${op} cannot compare ${attribute.name} with null.`);
    return null;
  }
  if (attribute.type !== 'boolean') {
    if (typeof value === 'string') return value;
    throw refuse('invalidFilter', `${attribute.name} is compared with a string.`);
  }
  // Entra ID writes booleans as strings.
  const literal = String(value).toLowerCase();
  if (!isEquality || (literal !== 'true' && literal !== 'false')) {
    throw refuse('invalidFilter', `${attribute.name} is compared by eq or ne with true or false.`);
  }
  return literal === 'true';
}
