/** Presents a directory group as a SCIM resource. */
import type { ProvisionedGroup } from '../../../contract/directory/scim-resources.ts';
import { GROUP_SCHEMA } from '../../../domain/directory/scim/group-schema.ts';
import type { ShownGroup } from '../../../services/directory/scim-server/groups-service.ts';
import { metaOf } from './present-scim-meta.ts';

/**
 * Presents a group.
 * @param base The URL of the SCIM server.
 */
export function presentProvisionedGroup({ group, members }: ShownGroup, base: string): ProvisionedGroup {
  return {
    schemas: [GROUP_SCHEMA],
    id: group.id,
    ...(group.externalId === null ? {} : { externalId: group.externalId }),
    ...group.resource,
    displayName: group.displayName,
    members: members.map(({ value }) => ({ value, $ref: `${base}/Users/${value}`, type: 'User' })),
    meta: metaOf('Group', group, base),
  };
}
