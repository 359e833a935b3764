import type { PersonFacts, ScimAttributes, ScimValue } from '../../../domain/directory/person.ts';
import { isObject } from './read-value.ts';

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
