/** Reads the answers of remote SCIM servers, which differ in the case and the types of their fields. */
import { memberValue } from '../../../../domain/directory/scim/member-value.ts';
import { SourceError } from '../source-reader.ts';

export interface ListResponse {
  resources: Record<string, unknown>[];
  total: number;
}

/** Reads a SCIM list. Servers disagree on the case of names, and some write numbers as strings. */
export function readListResponse(body: Record<string, unknown>): ListResponse {
  const total = Number(valueOf(body, 'totalResults') ?? Number.NaN);
  const resources = valueOf(body, 'Resources') ?? [];
  if (!Number.isSafeInteger(total) || total < 0 || !Array.isArray(resources))
    throw new SourceError('source_invalid', 'An answer of the source is not a SCIM list.');
  return { resources: resources.map(toObject), total };
}

/** Returns the value of an attribute in any case of its name. */
export function valueOf(object: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name];
  const wanted = name.toLowerCase();
  const key = Object.keys(object).find((candidate) => candidate.toLowerCase() === wanted);
  return key === undefined ? undefined : object[key];
}

/** Returns the id of a resource. Without it the resource cannot be identified, so the whole list is invalid. */
export function idOf(resource: Record<string, unknown>): string {
  const id = valueOf(resource, 'id');
  if (typeof id === 'string' && id !== '') return memberValue(id);
  if (typeof id === 'number') return String(id);
  throw new SourceError('source_invalid', 'A resource of the source has no id.');
}

function toObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new SourceError('source_invalid', 'A list of the source has an entry that is not a JSON object.');
}
