/** Handles `PUT /scim/v2/Groups/{id}`: replaces a group with the one that an identity provider sends. */
import type { ProvisionedGroup } from '../../../contract/directory/scim-resources.ts';
import { operations } from '../../../contract/operations.ts';
import { createProjection } from '../../../services/directory/scim/create-projection.ts';
import { presentProvisionedGroup } from './present-provisioned-group.ts';
import { headersOf } from './present-scim-meta.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';
import { scimBaseUrl, toScimWrite } from './scim-call.ts';

export const replaceProvisionedGroup = defineRoute(
  operations.replaceProvisionedGroup,
  async ({ params, query, body, ...call }, { services, settings }) => {
    const projection = createProjection(withoutUndefined(query), 'Group');
    const wants = { members: projection.includes('members') };
    const made = await services.directoryGroups.replace(toScimWrite(call), params.id, body, wants);
    const base = scimBaseUrl(settings);
    return {
      status: 200,
      headers: headersOf('Group', made.group, base),
      body: projection.apply(presentProvisionedGroup(made, base)) as ProvisionedGroup,
    };
  },
);
