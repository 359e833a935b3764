/** Handles `GET /scim/v2/Groups/{id}`: returns a group to an identity provider, or 304 if its version is known. */
import type { ProvisionedGroup } from '../../../contract/directory/scim-resources.ts';
import { operations } from '../../../contract/operations.ts';
import { createProjection } from '../../../services/directory/scim/create-projection.ts';
import { presentProvisionedGroup } from './present-provisioned-group.ts';
import { headersOf } from './present-scim-meta.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';
import { isKnown, scimBaseUrl } from './scim-call.ts';

export const getProvisionedGroup = defineRoute(
  operations.getProvisionedGroup,
  async ({ directoryClient, params, query, headers }, { services, settings }) => {
    const projection = createProjection(withoutUndefined(query), 'Group');
    const group = await services.directoryGroups.find(directoryClient.organizationId, params.id);
    const base = scimBaseUrl(settings);
    const answer = { headers: headersOf('Group', group, base) };
    if (isKnown(headers, group.version)) return { status: 304, ...answer };
    const members = projection.includes('members') ? await services.directoryGroups.membersOf(group) : [];
    const body = projection.apply(presentProvisionedGroup({ group, members }, base)) as ProvisionedGroup;
    return { status: 200, ...answer, body };
  },
);
