/** Presents a person of the directory as a SCIM user. */
import type { ProvisionedUser } from '../../../contract/directory/scim-resources.ts';
import { ENTERPRISE_SCHEMA, USER_SCHEMA } from '../../../domain/directory/scim/user-schema.ts';
import type { ShownPerson } from '../../../services/directory/scim-server/people-service.ts';
import { metaOf } from './present-scim-meta.ts';

/**
 * Presents a user.
 * @param base The URL of the SCIM server.
 */
export function presentProvisionedUser({ person, groups }: ShownPerson, base: string): ProvisionedUser {
  const isEmployee = ENTERPRISE_SCHEMA in person.resource;
  return {
    schemas: isEmployee ? [USER_SCHEMA, ENTERPRISE_SCHEMA] : [USER_SCHEMA],
    id: person.id,
    ...person.resource,
    groups: groups.map(({ groupId, displayName }) => ({
      value: groupId,
      $ref: `${base}/Groups/${groupId}`,
      display: displayName,
      type: 'direct',
    })),
    meta: metaOf('User', person, base),
  };
}
