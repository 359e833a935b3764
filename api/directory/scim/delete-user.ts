/** Handles `DELETE /scim/v2/Users/{id}`: deletes a user for an identity provider. */
import { operations } from '../../../contract/operations.ts';
import { defineRoute } from '../../http/route.ts';
import { toScimWrite } from './scim-call.ts';

export const deleteProvisionedUser = defineRoute(
  operations.deleteProvisionedUser,
  async ({ params, ...call }, { services }) => {
    await services.directoryPeople.remove(toScimWrite(call), params.id);
    return { status: 204 };
  },
);
