/** Reads a SCIM group from JSON and validates it. */
import type { ScimAttributes } from '../../../domain/directory/person.ts';
import { resolvePath } from '../../../domain/directory/scim/attribute-path.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';
import { checkSize, entriesOf, readResource } from './read-resource.ts';
import { isObject, type Reading, readText, STRICT, catchRefusal } from './read-value.ts';
import { MAX_GROUP_MEMBERS } from '../../../domain/directory/group.ts';
import { memberValue } from '../../../domain/directory/scim/member-value.ts';

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
export function readGroup(raw: unknown, reading = STRICT): ReadGroup {
  if (!isObject(raw)) throw refuse('invalidSyntax', 'The group must be a JSON object.');
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

/** Returns the ids of the members that a list names, each once. Groups as members are ignored. */
export function readMembers(raw: unknown, reading: Reading): string[] {
  if (!Array.isArray(raw) && !isObject(raw) && typeof raw !== 'string') {
    throw refuse('invalidValue', 'members must be an array.');
  }
  const given: unknown[] = Array.isArray(raw) ? raw : [raw];
  if (given.length > MAX_GROUP_MEMBERS) {
    throw refuse('tooMany', `A group must not have more than ${MAX_GROUP_MEMBERS} members.`);
  }
  const values = given.filter((one) => !isGroup(one)).map((one) => catchRefusal(reading, () => read(one)));
  return [...new Set(values.filter((value) => value !== undefined))];
}

/** Returns the id of a member. A missing or malformed one is refused, so that it never stands for all members. */
export function readMemberValue(raw: unknown): string {
  const value = readText(raw, 'members.value');
  if (value.trim() === '') throw refuse('invalidValue', 'members.value must not be empty.');
  return memberValue(value);
}

function read(one: unknown): string {
  if (typeof one === 'string') return readMemberValue(one);
  if (!isObject(one)) throw refuse('invalidValue', 'Each of members must be an object with a value.');
  return readMemberValue(entryOf(one, 'value'));
}

function isGroup(one: unknown): boolean {
  const type = isObject(one) ? entryOf(one, 'type') : undefined;
  return typeof type === 'string' && type.toLowerCase() === 'group';
}

function entryOf(object: Record<string, unknown>, name: string): unknown {
  return Object.entries(object).find(([key]) => key.toLowerCase() === name)?.[1];
}
