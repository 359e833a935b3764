/** Handles SCIM's PATCH of a group. */
import type { ProvisionedGroup } from '../../../contract/directory/scim-resources.ts';
import { operations } from '../../../contract/operations.ts';
import { createProjection } from '../../../services/directory/scim/create-projection.ts';
import { presentProvisionedGroup } from './present-provisioned-group.ts';
import { headersOf } from './present-scim-meta.ts';
import { withoutUndefined } from '../../http/request/without-undefined.ts';
import { defineRoute } from '../../http/route.ts';
import { scimBaseUrl, toScimWrite } from './scim-call.ts';

/**
 * Answers with the group, or with a 204 if it has many members and the request does not ask for attributes. 100,000
 * members would be megabytes per change. RFC 7644, section 3.5.2, allows both.
 */
export const patchProvisionedGroup = defineRoute(
  operations.patchProvisionedGroup,
  async ({ params, query, body, ...call }, { services, settings }) => {
    const projection = createProjection(withoutUndefined(query), 'Group');
    const namesAttributes = query.attributes !== undefined || query.excludedAttributes !== undefined;
    const wants = namesAttributes ? { members: projection.includes('members') } : 'unless many';
    const write = toScimWrite(call);
    const { group, members } = await services.directoryGroups.patch(write, params.id, body, wants);
    const base = scimBaseUrl(settings);
    const headers = headersOf('Group', group, base);
    if (members === null) return { status: 204, headers };
    return {
      status: 200,
      headers,
      body: projection.apply(presentProvisionedGroup({ group, members }, base)) as ProvisionedGroup,
    };
  },
);
