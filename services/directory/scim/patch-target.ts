/** Finds the attribute that the path of a SCIM PATCH operation names. */
import type { ScimAttribute, ScimResourceType } from '../../../domain/directory/scim/attribute.ts';
import { findAttribute, resolvePath } from '../../../domain/directory/scim/attribute-path.ts';
import type { Filter } from '../../../domain/directory/scim/filter.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';
import { SCHEMA_OF } from '../../../domain/directory/scim/schemas.ts';
import { ENTERPRISE_SCHEMA } from '../../../domain/directory/scim/user-schema.ts';
import { parseFilter } from './parse-filter.ts';

/** The place that one operation of a PATCH changes. */
export interface PatchTarget {
  /** The single-valued attributes around `attribute`, from the outside. */
  parents: readonly ScimAttribute[];
  attribute: ScimAttribute;
  /** The filter that selects among the values of a multi-valued attribute. */
  filter?: Filter | undefined;
  /** The part of those values that is changed; when absent, all parts. */
  sub?: ScimAttribute | undefined;
}

const PATH = /^([^[\]]+)(?:\[(.*)\](?:\.([\w$]+))?)?$/s;

/** Returns the place of a path; undefined if no schema has such an attribute. */
export function findTarget(path: string, type: ScimResourceType): PatchTarget | undefined {
  const [, name = '', filter, sub] = PATH.exec(path) ?? [];
  const attributes = resolvePath(name, type);
  if (attributes === undefined) return undefined;
  const many = attributes.findIndex(({ multiValued, type: kind }) => multiValued && kind === 'complex');
  if (many === -1) {
    const last = attributes[attributes.length - 1] ?? attributes[0];
    return filter === undefined ? { parents: attributes.slice(0, -1), attribute: last } : undefined;
  }
  return targetAmongMany(attributes, many, filter, sub);
}

/** Returns the place of a path. Refuses a path to no attribute, or to one that only the server changes. */
export function readTarget(path: string, type: ScimResourceType): PatchTarget {
  const target = findTarget(path, type);
  if (target === undefined) throw refuse('invalidPath', 'The path names no attribute of the schema.');
  if (isReadOnly(target)) throw refuse('mutability', `${target.attribute.name} is read-only.`);
  return target;
}

/** Returns whether a path begins with the URN of a schema that resources of this type do not have. */
export function isOfUnknownSchema(path: string, type: ScimResourceType): boolean {
  const lower = path.toLowerCase();
  const known = [SCHEMA_OF[type], ...(type === 'User' ? [ENTERPRISE_SCHEMA] : [])];
  return lower.startsWith('urn:') && !known.some((urn) => isWithin(lower, urn.toLowerCase()));
}

function isWithin(path: string, urn: string): boolean {
  return path.startsWith(urn) && /^([:.[]|$)/.test(path.slice(urn.length));
}

export function isReadOnly({ parents, attribute, sub }: PatchTarget): boolean {
  return [...parents, attribute, sub].some((part) => part?.mutability === 'readOnly');
}

function targetAmongMany(
  attributes: readonly ScimAttribute[],
  many: number,
  filter: string | undefined,
  subName: string | undefined,
): PatchTarget | undefined {
  const [attribute, dotted] = attributes.slice(many);
  if (attribute === undefined || (filter !== undefined && dotted !== undefined)) return undefined;
  const sub = subName === undefined ? dotted : findAttribute(attribute.subAttributes, subName);
  if (subName !== undefined && sub === undefined) return undefined;
  return {
    parents: attributes.slice(0, many),
    attribute,
    filter: filter === undefined ? undefined : parseFilter(filter),
    sub,
  };
}
