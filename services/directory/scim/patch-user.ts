/** Applies a SCIM PATCH to a user. */
import type { ScimAttributes } from '../../../domain/directory/person.ts';
import { findAttribute } from '../../../domain/directory/scim/attribute-path.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';
import { ENTERPRISE_SCHEMA } from '../../../domain/directory/scim/user-schema.ts';
import { findTarget, isOfUnknownSchema, isReadOnly, type PatchTarget, readTarget } from './patch-target.ts';
import { patchValues } from './patch-values.ts';
import { checkNumberOfChanges, type PatchOperation } from './read-patch.ts';
import { entriesOf } from './read-resource.ts';
import { checkUser } from './read-user.ts';
import { isObject, readValue, STRICT } from './read-value.ts';

type Operator = PatchOperation['op'];

/** The most operations on a user. Each may compare with hundreds of values, so more would block other requests. */
const MAX_USER_OPERATIONS = 500;

/** Returns the attributes of a user after all operations, or refuses and changes nothing. */
export function patchUser(attributes: ScimAttributes, operations: readonly PatchOperation[]): ScimAttributes {
  checkNumberOfChanges(operations, 'User', MAX_USER_OPERATIONS);
  const result = structuredClone(attributes);
  for (const { op, path, value } of operations) {
    if (path === undefined) patchWithoutPath(result, op, value);
    else if (!isIgnored(path)) patchAt(result, readTarget(path, 'User'), op, value);
  }
  dropStaleReference(attributes, result);
  checkUser(result);
  return result;
}

/** Returns whether a path is ignored: passwords are not stored, and attributes of unknown schemas are not refused. */
function isIgnored(path: string): boolean {
  return /(^|:)password$/i.test(path) || isOfUnknownSchema(path, 'User');
}

/** Removes a reference to the former manager, which stays when Entra ID replaces the manager by a bare id. */
function dropStaleReference(before: ScimAttributes, after: ScimAttributes): void {
  const [former, current] = [managerOf(before), managerOf(after)];
  if (former === undefined || current === undefined || former['value'] === current['value']) return;
  if (former['$ref'] === current['$ref']) delete current['$ref'];
  removeEmpty(after, [ENTERPRISE_SCHEMA, 'manager']);
}

function managerOf(attributes: ScimAttributes): ScimAttributes | undefined {
  const extension = attributes[ENTERPRISE_SCHEMA];
  const manager = isObject(extension) ? extension['manager'] : undefined;
  return isObject(manager) ? (manager as ScimAttributes) : undefined;
}

/** Applies an operation without a path, in whose value the names are paths. Unknown and read-only names are ignored. */
function patchWithoutPath(result: ScimAttributes, op: Operator, value: unknown): void {
  if (op === 'remove') throw refuse('noTarget', 'A removal needs a path.');
  if (!isObject(value)) throw refuse('invalidValue', 'Without a path, the value must be an object.');
  for (const [key, raw] of entriesOf(value, 'User')) {
    const target = findTarget(key, 'User');
    if (target !== undefined && !isReadOnly(target)) patchAt(result, target, op, raw);
  }
}

function patchAt(result: ScimAttributes, target: PatchTarget, op: Operator, raw: unknown): void {
  const { parents, attribute } = target;
  if (op !== 'remove' && raw === undefined) {
    throw refuse('invalidValue', `The operation on ${attribute.name} needs a value.`);
  }
  const around = parents.map(({ name }) => name);
  const parent = objectAt(result, around);
  if (attribute.multiValued) {
    const values = (parent[attribute.name] ?? []) as ScimAttributes[];
    parent[attribute.name] = [...patchValues(values, target, op, raw)];
  } else patchSingle(result, parent, target, op, raw);
  removeEmpty(result, [...around, attribute.name]);
}

function patchSingle(
  result: ScimAttributes,
  parent: ScimAttributes,
  { parents, attribute }: PatchTarget,
  op: Operator,
  raw: unknown,
): void {
  if (
    op === 'remove' ||
    (op === 'replace' && (raw === null || (raw === '' && attribute.type === 'complex')))
  ) {
    if (attribute.required)
      throw refuse('mutability', `${attribute.name} is required and cannot be removed.`);
    delete parent[attribute.name];
  } else if (attribute.type === 'complex' && isObject(raw)) {
    for (const [key, part] of Object.entries(raw)) {
      const sub = findAttribute(attribute.subAttributes, key);
      if (sub === undefined || sub.mutability === 'readOnly') continue;
      patchAt(result, { parents: [...parents, attribute], attribute: sub }, op, part);
    }
  } else {
    const name = [...parents, attribute].map((part) => part.name).join('.');
    const value = readValue(attribute, raw, name, STRICT);
    if (isObject(value)) Object.assign(objectAt(parent, [attribute.name]), value);
    else if (value !== undefined) parent[attribute.name] = value;
  }
}

/** Returns the object at that place, which is created if it is missing. */
function objectAt(object: ScimAttributes, names: readonly string[]): ScimAttributes {
  return names.reduce<ScimAttributes>((outer, name) => {
    if (!isObject(outer[name])) outer[name] = {};
    return outer[name] as ScimAttributes;
  }, object);
}

/** Removes the value at that place if it is empty, and then objects around it that became empty. */
function removeEmpty(object: ScimAttributes, names: readonly string[]): void {
  const [name, ...rest] = names;
  if (name === undefined) return;
  const value = object[name];
  if (isObject(value)) removeEmpty(value as ScimAttributes, rest);
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) delete object[name];
}
