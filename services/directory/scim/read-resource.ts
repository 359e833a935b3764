/** Reads the body of a SCIM request: keeps the writable attributes, under their schema's names. */
import type { ScimAttributes } from '../../../domain/directory/person.ts';
import type { ScimResourceType } from '../../../domain/directory/scim/attribute.ts';
import { type AttributePath, resolvePath } from '../../../domain/directory/scim/attribute-path.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';
import { SCHEMA_OF } from '../../../domain/directory/scim/schemas.ts';
import { isObject, type Reading, readValue, catchRefusal } from './read-value.ts';

const MAX_RESOURCE_BYTES = 65_536;

/**
 * Returns the writable attributes of a body under the names of their schema. A name may be in any case, dotted, or
 * preceded by the URN of its schema. Unknown attributes and those that only the server sets are ignored.
 */
export function readResource(raw: unknown, type: ScimResourceType, reading: Reading): ScimAttributes {
  if (!isObject(raw)) throw refuse('invalidSyntax', `The ${type.toLowerCase()} must be a JSON object.`);
  const result: ScimAttributes = {};
  for (const [key, value] of entriesOf(raw, type)) {
    const path = resolvePath(key, type);
    if (path !== undefined) readInto(result, path, value, reading);
  }
  return result;
}

/** Returns the names and values of a body. Those below the URN of the core schema count as part of the body. */
export function entriesOf(raw: Record<string, unknown>, type: ScimResourceType): [string, unknown][] {
  const core = SCHEMA_OF[type].toLowerCase();
  return Object.entries(raw).flatMap(([key, value]) =>
    key.toLowerCase() === core && isObject(value) ? Object.entries(value) : [[key, value]],
  );
}

/** Refuses a resource so large that lists of resources would become too large. */
export function checkSize(resource: ScimAttributes): void {
  if (Buffer.byteLength(JSON.stringify(resource)) > MAX_RESOURCE_BYTES) {
    throw refuse('tooMany', `A resource must not have more than ${MAX_RESOURCE_BYTES} bytes.`);
  }
}

/** Returns the name of an attribute as callers know it. */
function nameOf(path: AttributePath): string {
  return path.map(({ name }) => name).join('.');
}

function readInto(result: ScimAttributes, path: AttributePath, raw: unknown, reading: Reading): void {
  if (path.some(({ mutability }) => mutability === 'readOnly')) return;
  // A name such as `emails.value` does not tell which element it means.
  if (path.slice(0, -1).some(({ multiValued }) => multiValued)) return;
  const target = path[path.length - 1] ?? path[0];
  const value = catchRefusal(reading, () => readValue(target, raw, nameOf(path), reading));
  if (value === undefined) return;
  const parent = path.slice(0, -1).reduce<ScimAttributes>((object, { name }) => child(object, name), result);
  if (isObject(value)) Object.assign(child(parent, target.name), value);
  else parent[target.name] = value;
}

function child(object: ScimAttributes, name: string): ScimAttributes {
  const present = object[name];
  if (isObject(present)) return present as ScimAttributes;
  const made: ScimAttributes = {};
  object[name] = made;
  return made;
}
