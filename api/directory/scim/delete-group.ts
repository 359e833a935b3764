/** Handles `DELETE /scim/v2/Groups/{id}`: deletes a group for an identity provider. */
import { operations } from '../../../contract/operations.ts';
import { defineRoute } from '../../http/route.ts';
import { toScimWrite } from './scim-call.ts';

export const deleteProvisionedGroup = defineRoute(
  operations.deleteProvisionedGroup,
  async ({ params, ...call }, { services }) => {
    await services.directoryGroups.remove(toScimWrite(call), params.id);
    return { status: 204 };
  },
);
