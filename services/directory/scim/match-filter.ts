/** Evaluates a SCIM filter against the values of a multi-valued attribute, for PATCH operations. */
import type { ScimAttributes } from '../../../domain/directory/person.ts';
import type { ScimAttribute } from '../../../domain/directory/scim/attribute.ts';
import { findAttribute } from '../../../domain/directory/scim/attribute-path.ts';
import { comparisonValue } from '../../../domain/directory/scim/comparison-value.ts';
import type { Comparison, Filter } from '../../../domain/directory/scim/filter.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';

/** Returns whether one value of a multi-valued attribute meets the filter in the brackets of a path. */
export function matchesValueFilter(filter: Filter, value: ScimAttributes, attribute: ScimAttribute): boolean {
  switch (filter.op) {
    case 'and':
      return filter.filters.every((part) => matchesValueFilter(part, value, attribute));
    case 'or':
      return filter.filters.some((part) => matchesValueFilter(part, value, attribute));
    case 'not':
      return !matchesValueFilter(filter.filter, value, attribute);
    case 'some':
      throw refuse('invalidFilter', 'Brackets cannot stand within brackets.');
    case 'pr':
      return (value[subOf(filter.path, attribute).name] ?? '') !== '';
    default:
      return compare(filter, value, attribute);
  }
}

/**
 * Returns the attributes of a value that meets the filter, from which a missing value is created. Undefined when the
 * filter consists of more than equality.
 */
export function attributesOf(filter: Filter, attribute: ScimAttribute): ScimAttributes | undefined {
  if (filter.op === 'and') {
    const parts = filter.filters.map((part) => attributesOf(part, attribute));
    return parts.some((part) => part === undefined) ? undefined : Object.assign({}, ...parts);
  }
  if (filter.op !== 'eq') return undefined;
  const sub = subOf(filter.path, attribute);
  const value = comparisonValue(sub, filter.op, filter.value);
  return value === null ? undefined : { [sub.name]: value };
}

function compare(
  filter: { op: Comparison; path: string; value: string | number | boolean | null },
  value: ScimAttributes,
  attribute: ScimAttribute,
): boolean {
  const sub = subOf(filter.path, attribute);
  const wanted = comparisonValue(sub, filter.op, filter.value);
  const present = value[sub.name] ?? null;
  if (typeof present !== 'string' || typeof wanted !== 'string') {
    return filter.op === 'ne' ? present !== wanted : filter.op === 'eq' && present === wanted;
  }
  return sub.caseExact
    ? COMPARE_TEXTS[filter.op](present, wanted)
    : COMPARE_TEXTS[filter.op](present.toLowerCase(), wanted.toLowerCase());
}

function subOf(path: string, attribute: ScimAttribute): ScimAttribute {
  const sub = findAttribute(attribute.subAttributes, path);
  if (sub === undefined)
    throw refuse('invalidFilter', `${attribute.name} has no such attribute to filter by.`);
  return sub;
}

const COMPARE_TEXTS: Readonly<Record<Comparison, (present: string, wanted: string) => boolean>> = {
  eq: (present, wanted) => present === wanted,
  ne: (present, wanted) => present !== wanted,
  co: (present, wanted) => present.includes(wanted),
  sw: (present, wanted) => present.startsWith(wanted),
  ew: (present, wanted) => present.endsWith(wanted),
  gt: (present, wanted) => present > wanted,
  ge: (present, wanted) => present >= wanted,
  lt: (present, wanted) => present < wanted,
  le: (present, wanted) => present <= wanted,
};
