/** Handles `GET /scim/v2/Groups`: lists groups for an identity provider. */
import type { ProvisionedGroup } from '../../../contract/directory/scim-resources.ts';
import { operations } from '../../../contract/operations.ts';
import { createProjection } from '../../../services/directory/scim/create-projection.ts';
import { presentProvisionedGroup } from './present-provisioned-group.ts';
import { presentScimList } from './present-scim-list.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';
import { refuseUnsupported, scimBaseUrl } from './scim-call.ts';

export const listProvisionedGroups = defineRoute(
  operations.listProvisionedGroups,
  async ({ directoryClient, query }, { services, settings }) => {
    refuseUnsupported(query);
    const projection = createProjection(withoutUndefined(query), 'Group');
    const wants = { members: projection.includes('members') };
    const { organizationId } = directoryClient;
    const { groups, totalCount } = await services.directoryGroups.list(organizationId, query, wants);
    const base = scimBaseUrl(settings);
    const resources = groups.map(
      (one) => projection.apply(presentProvisionedGroup(one, base)) as ProvisionedGroup,
    );
    return { status: 200, body: presentScimList(resources, { startIndex: query.startIndex, totalCount }) };
  },
);
