/** Handles `GET /scim/v2/Users/{id}`: returns a user to an identity provider, or 304 if its version is known. */
import type { ProvisionedUser } from '../../../contract/directory/scim-resources.ts';
import { operations } from '../../../contract/operations.ts';
import { createProjection } from '../../../services/directory/scim/create-projection.ts';
import { presentProvisionedUser } from './present-provisioned-user.ts';
import { headersOf } from './present-scim-meta.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';
import { isKnown, scimBaseUrl } from './scim-call.ts';

export const getProvisionedUser = defineRoute(
  operations.getProvisionedUser,
  async ({ directoryClient, params, query, headers }, { services, settings }) => {
    const projection = createProjection(withoutUndefined(query), 'User');
    const wants = { groups: projection.includes('groups') };
    const found = await services.directoryPeople.get(directoryClient.organizationId, params.id, wants);
    const base = scimBaseUrl(settings);
    const answer = { headers: headersOf('User', found.person, base) };
    if (isKnown(headers, found.person.version)) return { status: 304, ...answer };
    const body = projection.apply(presentProvisionedUser(found, base)) as ProvisionedUser;
    return { status: 200, ...answer, body };
  },
);
