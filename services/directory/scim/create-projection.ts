/** Limits a SCIM response to the attributes that the request asks for or leaves out. */
import type { ScimResourceType } from '../../../domain/directory/scim/attribute.ts';
import { resolvePath } from '../../../domain/directory/scim/attribute-path.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';
import { ATTRIBUTES_OF } from '../../../domain/directory/scim/schemas.ts';
import { isObject } from './read-value.ts';

const MAX_CHARACTERS = 2_000;

/** The names of attributes at each level; an empty map stands for the whole attribute. */
interface Names extends Map<string, Names> {}

/**
 * Returns the projection of the two query parameters, of which a request has at most one. Unknown names are ignored.
 */
export function createProjection(
  query: { attributes?: string; excludedAttributes?: string },
  type: ScimResourceType,
) {
  const included = readNames(query.attributes, type);
  const excluded = readNames(query.excludedAttributes, type);
  if (included !== undefined && excluded !== undefined) {
    throw refuse('invalidValue', 'attributes and excludedAttributes cannot be used together.');
  }
  const always = ATTRIBUTES_OF[type].filter(({ returned }) => returned === 'always');
  for (const { name } of always) {
    included?.set(name, new Map());
    excluded?.delete(name);
  }
  return {
    /** Returns whether any part of that attribute is requested; other attributes need not be read. */
    includes: (attribute: string): boolean =>
      included?.has(attribute) ?? excluded?.get(attribute)?.size !== 0,
    apply: (resource: object): object => {
      if (included !== undefined) return only(resource, included);
      return excluded === undefined ? resource : without(resource, excluded);
    },
  };
}

/** Selects the parts of a resource that a response contains (RFC 7644, section 3.9). */
function readNames(list: string | undefined, type: ScimResourceType): Names | undefined {
  if (list === undefined || list.trim() === '') return undefined;
  if (list.length > MAX_CHARACTERS) {
    throw refuse('tooMany', `A list of attributes must not have more than ${MAX_CHARACTERS} characters.`);
  }
  const names: Names = new Map();
  for (const name of list.split(',')) {
    const path = resolvePath(name.trim(), type);
    if (path !== undefined)
      addName(
        names,
        path.map((attribute) => attribute.name),
      );
  }
  return names;
}

/** Adds a path of names. A whole attribute takes precedence over its parts. */
function addName(names: Names, [name, ...rest]: readonly string[]): void {
  if (name === undefined) return;
  const present = names.get(name);
  if (rest.length === 0) names.set(name, new Map());
  else if (present === undefined) {
    const parts: Names = new Map();
    addName(parts, rest);
    names.set(name, parts);
  } else if (present.size > 0) addName(present, rest);
}

function only(value: object, names: Names): object {
  return mapEntries(value, ([name, part]) => {
    const parts = names.get(name);
    if (parts === undefined) return [];
    return [[name, parts.size === 0 ? part : eachObject(part, (one) => only(one, parts))]];
  });
}

function without(value: object, names: Names): object {
  return mapEntries(value, ([name, part]) => {
    const parts = names.get(name);
    if (parts === undefined) return [[name, part]];
    return parts.size === 0 ? [] : [[name, eachObject(part, (one) => without(one, parts))]];
  });
}

function eachObject(value: unknown, change: (object: object) => object): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => eachObject(one, change));
  return isObject(value) ? change(value) : value;
}

function mapEntries(
  value: object,
  change: (entry: [string, unknown]) => readonly (readonly [string, unknown])[],
): object {
  return Object.fromEntries(Object.entries(value).flatMap((entry: [string, unknown]) => change(entry)));
}
