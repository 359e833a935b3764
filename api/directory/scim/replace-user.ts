/** Handles `PUT /scim/v2/Users/{id}`: replaces a user with the one that an identity provider sends. */
import type { ProvisionedUser } from '../../../contract/directory/scim-resources.ts';
import { operations } from '../../../contract/operations.ts';
import { createProjection } from '../../../services/directory/scim/create-projection.ts';
import { presentProvisionedUser } from './present-provisioned-user.ts';
import { headersOf } from './present-scim-meta.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';
import { scimBaseUrl, toScimWrite } from './scim-call.ts';

export const replaceProvisionedUser = defineRoute(
  operations.replaceProvisionedUser,
  async ({ params, query, body, ...call }, { services, settings }) => {
    const projection = createProjection(withoutUndefined(query), 'User');
    const wants = { groups: projection.includes('groups') };
    const made = await services.directoryPeople.replace(toScimWrite(call), params.id, body, wants);
    const base = scimBaseUrl(settings);
    return {
      status: 200,
      headers: headersOf('User', made.person, base),
      body: projection.apply(presentProvisionedUser(made, base)) as ProvisionedUser,
    };
  },
);
