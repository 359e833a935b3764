/** Handles `GET /scim/v2/Users`: lists users for an identity provider. */
import type { ProvisionedUser } from '../../../contract/directory/scim-resources.ts';
import { operations } from '../../../contract/operations.ts';
import { createProjection } from '../../../services/directory/scim/create-projection.ts';
import { presentProvisionedUser } from './present-provisioned-user.ts';
import { presentScimList } from './present-scim-list.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';
import { refuseUnsupported, scimBaseUrl } from './scim-call.ts';

export const listProvisionedUsers = defineRoute(
  operations.listProvisionedUsers,
  async ({ directoryClient, query }, { services, settings }) => {
    refuseUnsupported(query);
    const projection = createProjection(withoutUndefined(query), 'User');
    const wants = { groups: projection.includes('groups') };
    const { organizationId } = directoryClient;
    const { people, totalCount } = await services.directoryPeople.list(organizationId, query, wants);
    const base = scimBaseUrl(settings);
    const resources = people.map(
      (one) => projection.apply(presentProvisionedUser(one, base)) as ProvisionedUser,
    );
    return { status: 200, body: presentScimList(resources, { startIndex: query.startIndex, totalCount }) };
  },
);
