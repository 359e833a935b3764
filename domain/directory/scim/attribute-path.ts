/** Resolves attribute names of SCIM requests, such as `name.givenName`, to attributes of the schemas. */
import type { ScimAttribute, ScimResourceType } from './attribute.ts';
import { ATTRIBUTES_OF, SCHEMA_OF } from './schemas.ts';
import { ENTERPRISE_SCHEMA } from './user-schema.ts';

/** The attributes from the resource down to the named one, such as `name` and `givenName`. Never empty. */
export type AttributePath = readonly [ScimAttribute, ...ScimAttribute[]];

/** Returns the attribute of that name, in any case. */
export function findAttribute(
  attributes: readonly ScimAttribute[] | undefined,
  name: string,
): ScimAttribute | undefined {
  const wanted = name.toLowerCase();
  return attributes?.find((attribute) => attribute.name.toLowerCase() === wanted);
}

/**
 * Returns the attribute that a name such as `name.givenName` or `urn:…:User:userName` stands for; undefined if no
 * schema has it.
 */
export function resolvePath(name: string, type: ScimResourceType): AttributePath | undefined {
  const lower = name.toLowerCase();
  const extension = findAttribute(ATTRIBUTES_OF[type], ENTERPRISE_SCHEMA);
  if (extension !== undefined && lower.startsWith(ENTERPRISE_SCHEMA.toLowerCase())) {
    const rest = name.slice(ENTERPRISE_SCHEMA.length);
    if (rest === '') return [extension];
    if (!/^[:.]/.test(rest)) return undefined;
    const path = resolveNames(rest.slice(1), extension.subAttributes);
    return path && [extension, ...path];
  }
  const prefix = `${SCHEMA_OF[type]}:`.toLowerCase();
  return resolveNames(lower.startsWith(prefix) ? name.slice(prefix.length) : name, ATTRIBUTES_OF[type]);
}

/** Returns the last attribute of a path. */
export function targetOf(path: AttributePath): ScimAttribute {
  return path[path.length - 1] ?? path[0];
}

function resolveNames(
  names: string,
  attributes: readonly ScimAttribute[] | undefined,
): AttributePath | undefined {
  const dot = names.indexOf('.');
  const first = findAttribute(attributes, dot === -1 ? names : names.slice(0, dot));
  if (first === undefined || dot === -1) return first && [first];
  const sub = findAttribute(first.subAttributes, names.slice(dot + 1));
  return sub && [first, sub];
}
