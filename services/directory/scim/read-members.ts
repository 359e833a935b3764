import { MAX_GROUP_MEMBERS } from '../../../domain/directory/group.ts';
import { memberValue } from '../../../domain/directory/scim/member-value.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';
import { isObject, type Reading, readText, catchRefusal } from './read-value.ts';

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
