/** Handles `POST /scim/v2/Groups`: creates a group that an identity provider pushes. */
import type { ProvisionedGroup } from '../../../contract/directory/scim-resources.ts';
import { operations } from '../../../contract/operations.ts';
import { createProjection } from '../../../services/directory/scim/create-projection.ts';
import { presentProvisionedGroup } from './present-provisioned-group.ts';
import { headersOf } from './present-scim-meta.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';
import { scimBaseUrl, toScimWrite } from './scim-call.ts';

export const createProvisionedGroup = defineRoute(
  operations.createProvisionedGroup,
  async ({ query, body, ...call }, { services, settings }) => {
    const projection = createProjection(withoutUndefined(query), 'Group');
    const wants = { members: projection.includes('members') };
    const made = await services.directoryGroups.create(toScimWrite({ ...call, headers: {} }), body, wants);
    const base = scimBaseUrl(settings);
    return {
      status: 201,
      headers: headersOf('Group', made.group, base),
      body: projection.apply(presentProvisionedGroup(made, base)) as ProvisionedGroup,
    };
  },
);
