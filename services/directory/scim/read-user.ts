import type { ScimAttributes } from '../../../domain/directory/person.ts';
import { refuse } from '../../../domain/directory/scim/refuse.ts';
import { checkSize, readResource } from './read-resource.ts';

/**
 * Returns the attributes of a user under the names of their schema. A lenient reading leaves out parts that break a
 * rule, so that one invalid attribute at a remote server does not exclude the person. It still refuses a user without a
 * user name.
 */
export function readUser(raw: unknown, options: { lenient?: boolean } = {}): ScimAttributes {
  const attributes = readResource(raw, 'User', { lenient: options.lenient ?? false });
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
