import type { ScimAttributes } from '../../../domain/directory/person.ts';
import type { ScimAttribute } from '../../../domain/directory/scim/attribute.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';
import { attributesOf, matchesValueFilter } from './match-filter.ts';
import type { PatchTarget } from './patch-target.ts';
import type { PatchOperation } from './read-patch.ts';
import { checkNumberOfValues, isObject, readOne, readValue, STRICT } from './read-value.ts';

type Operator = PatchOperation['op'];
type Values = readonly ScimAttributes[];

/** Returns the values of a multi-valued attribute after one operation. */
export function patchValues(values: Values, target: PatchTarget, op: Operator, raw: unknown): Values {
  const changed = change(values, target, op, raw);
  checkNumberOfValues(changed, target.attribute.name);
  return changed;
}

function change(values: Values, target: PatchTarget, op: Operator, raw: unknown): Values {
  const isWhole = target.filter === undefined && target.sub === undefined;
  if (op === 'remove' && isWhole && raw !== undefined) return withoutNamed(values, target.attribute, raw);
  if (op === 'remove' || (op === 'replace' && raw === null)) return withoutChosen(values, target);
  if (!isWhole) return withChosenChanged(values, target, op, raw);
  if (op === 'replace' && Array.isArray(raw) && raw.length === 0) return [];
  const given = readValue(target.attribute, raw, target.attribute.name, STRICT);
  // A value without any known attribute changes nothing.
  if (given === undefined) return values;
  const added = given as ScimAttributes[];
  return op === 'add' ? withAdded(values, added) : added;
}

function withAdded(values: Values, added: Values): Values {
  const present = new Set(values.map(textOf));
  const missing = added.filter((value) => !present.has(textOf(value)));
  return withOnePrimary([...values, ...missing], new Set(missing));
}

/** Removes the values that Entra ID lists. An empty list removes nothing. */
function withoutNamed(values: Values, attribute: ScimAttribute, raw: unknown): Values {
  const list: unknown[] = Array.isArray(raw) ? raw : [raw];
  const named = list.map((one) => {
    const value = one === null ? undefined : readOne(attribute, one, attribute.name, STRICT);
    if (!isObject(value))
      throw refuse('invalidValue', `Each value to remove must name one of ${attribute.name}.`);
    return Object.entries(value);
  });
  return values.filter(
    (value) => !named.some((parts) => parts.every(([name, part]) => value[name] === part)),
  );
}

function withoutChosen(values: Values, target: PatchTarget): Values {
  const { sub } = target;
  if (sub === undefined) return values.filter((value) => !isChosen(value, target));
  return values
    .map((value) => (isChosen(value, target) ? without(value, sub.name) : value))
    .filter((value) => Object.keys(value).some((name) => !LABELS.has(name)));
}

/** Attributes that only describe a value. A value that has no others is removed. */
const LABELS = new Set(['type', 'primary', 'display']);

function withChosenChanged(values: Values, target: PatchTarget, op: Operator, raw: unknown): Values {
  const given = readPart(target, raw);
  const fromFilter = target.filter === undefined ? {} : attributesOf(target.filter, target.attribute);
  const changed = new Set<ScimAttributes>();
  const result = values.map((value) => {
    if (!isChosen(value, target)) return value;
    const keeps = op === 'add' || target.sub !== undefined;
    const after = { ...(keeps ? value : fromFilter), ...given };
    changed.add(after);
    return after;
  });
  if (changed.size > 0) return withOnePrimary(result, changed);
  if (fromFilter === undefined || (op === 'replace' && 'value' in fromFilter)) {
    throw refuse('noTarget', `No value of ${target.attribute.name} meets the filter of the path.`);
  }
  // Okta and Entra ID create the first mobile number by a PATCH of `phoneNumbers[type eq "mobile"].value`.
  const created = { ...fromFilter, ...given };
  return withOnePrimary([...values, created], new Set([created]));
}

function readPart({ attribute, sub }: PatchTarget, raw: unknown): ScimAttributes {
  const one: unknown = Array.isArray(raw) && raw.length === 1 ? raw[0] : raw;
  const name = attribute.name + (sub === undefined ? '' : `.${sub.name}`);
  const value = readOne(sub ?? attribute, one, name, STRICT);
  if (value === undefined) throw refuse('invalidValue', `The value of ${name} is missing.`);
  return sub === undefined ? (value as ScimAttributes) : { [sub.name]: value };
}

function isChosen(value: ScimAttributes, { filter, attribute }: PatchTarget): boolean {
  return filter === undefined || matchesValueFilter(filter, value, attribute);
}

/** Keeps one primary value: when a value becomes primary, the others cease to be (RFC 7644, section 3.5.2). */
function withOnePrimary(values: Values, changed: ReadonlySet<ScimAttributes>): Values {
  const primary = values.findLast((value) => changed.has(value) && value['primary'] === true);
  if (primary === undefined) return values;
  return values.map((value) =>
    value !== primary && value['primary'] === true ? { ...value, primary: false } : value,
  );
}

function without(value: ScimAttributes, name: string): ScimAttributes {
  const { [name]: _removed, ...rest } = value;
  return rest;
}

function textOf(value: ScimAttributes): string {
  return JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
