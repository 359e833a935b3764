import type { ProvisionedGroup } from '../../../../contract/directory/scim-resources.ts';
import { operations } from '../../../../contract/operations.ts';
import { createProjection } from '../../../../services/directory/scim/create-projection.ts';
import { presentProvisionedGroup } from '../../../presenters/provisioned-group.ts';
import { headersOf } from '../../../presenters/scim-meta.ts';
import { withoutUndefined } from '../../../request/without-undefined.ts';
import { defineRoute } from '../../../route.ts';
import { scimBaseUrl, toScimWrite } from './scim-call.ts';

/** Answers without the group unless it is asked for: one of 100,000 members would be megabytes for each change. */
export const patchProvisionedGroup = defineRoute(
  operations.patchProvisionedGroup,
  async ({ params, query, body, ...call }, { services, settings }) => {
    const projection = createProjection(withoutUndefined(query), 'Group');
    const isAsked = query.attributes !== undefined;
    const wants = { members: isAsked && projection.wants('members') };
    const made = await services.directoryGroups.patch(toScimWrite(call), params.id, body, wants);
    const base = scimBaseUrl(settings);
    const headers = headersOf('Group', made.group, base);
    if (!isAsked) return { status: 204, headers };
    return {
      status: 200,
      headers,
      body: projection.apply(presentProvisionedGroup(made, base)) as ProvisionedGroup,
    };
  },
);
