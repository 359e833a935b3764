/** Reads a SCIM group from JSON and validates it. */
import type { ScimAttributes } from '../../../domain/directory/person.ts';
import { resolvePath } from '../../../domain/directory/scim/attribute-path.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';
import { readMembers } from './read-members.ts';
import { checkSize, entriesOf, readResource } from './read-resource.ts';
import { isObject, type Reading } from './read-value.ts';

/** A group as a request or a remote server describes it. */
export interface ReadGroup {
  displayName: string;
  externalId: string | null;
  /** Attributes other than the name, the external id and the members. */
  resource: ScimAttributes;
  /** The members; undefined if the group has no such attribute. */
  members: string[] | undefined;
}

/**
 * Returns the parts of a group. A lenient reading leaves out parts that break a rule, but still refuses a group
 * without a name.
 */
export function readGroup(raw: unknown, options: { lenient?: boolean } = {}): ReadGroup {
  if (!isObject(raw)) throw refuse('invalidSyntax', 'The group must be a JSON object.');
  const reading: Reading = { lenient: options.lenient ?? false };
  const entries = entriesOf(raw, 'Group');
  const members = entries.filter(([key]) => isMembers(key));
  const others = entries.filter(([key]) => !isMembers(key));
  const { displayName, externalId, ...resource } = readResource(Object.fromEntries(others), 'Group', reading);
  checkSize(resource);
  const list = members.at(-1)?.[1];
  return {
    displayName: readGroupName(displayName),
    externalId: typeof externalId === 'string' && externalId !== '' ? externalId : null,
    resource,
    members: list === null || list === undefined ? undefined : readMembers(list, reading),
  };
}

/** Returns the name of a group, which is required. */
export function readGroupName(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') {
    throw refuse('invalidValue', 'displayName is required and must not be empty.');
  }
  return value;
}

function isMembers(key: string): boolean {
  const path = resolvePath(key, 'Group');
  return path?.length === 1 && path[0].name === 'members';
}
