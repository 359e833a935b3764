import type { ScimAttributes, PersonFacts, ScimValue } from '../../../domain/directory/person.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';
import { checkSize, readResource } from './read-resource.ts';
import { isObject, STRICT } from './read-value.ts';

/**
 * Returns the attributes of a user under the names of their schema. A lenient reading leaves out parts that break a
 * rule, so that one invalid attribute at a remote server does not exclude the person. It still refuses a user without a
 * user name.
 */
export function readUser(raw: unknown, reading = STRICT): ScimAttributes {
  const attributes = readResource(raw, 'User', reading);
  checkUser(attributes);
  return attributes;
}

/** Refuses a user without a name, or one that is too large. */
export function checkUser(attributes: ScimAttributes): void {
  const userName = attributes['userName'];
  if (typeof userName !== 'string' || userName.trim() === '') {
    throw refuse('invalidValue', 'userName is required and must not be empty.');
  }
  checkSize(attributes);
}

/** Returns the facts about a user on which membership depends. */
export function factsOf(attributes: ScimAttributes): PersonFacts {
  const userName = textOf(attributes['userName']) ?? '';
  const name = isObject(attributes['name']) ? attributes['name'] : {};
  return {
    externalId: textOf(attributes['externalId']),
    userName,
    email: addressOf(attributes['emails']) ?? userName,
    givenName: textOf(name['givenName']),
    familyName: textOf(name['familyName']),
    active: attributes['active'] !== false,
  };
}

/** Returns the primary address, else the one for work, else the first. */
function addressOf(emails: ScimValue | undefined): string | null {
  const given = (Array.isArray(emails) ? emails : [])
    .filter((email) => isObject(email))
    .filter(({ value }) => textOf(value) !== null);
  const chosen =
    given.find(({ primary }) => primary === true) ??
    given.find(({ type }) => typeof type === 'string' && type.toLowerCase() === 'work') ??
    given[0];
  return textOf(chosen?.['value']);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
