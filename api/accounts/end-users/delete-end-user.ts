/** Handles `DELETE /end-users/{user}`: makes an end user inactive and keeps the registration. */
import { operations } from '../../../contract/operations.ts';
import { actorOf } from '../../../domain/principal.ts';
import { defineRoute } from '../../http/route.ts';

export const deleteEndUser = defineRoute(
  operations.deleteEndUser,
  async ({ principal, client, params }, { services }) => {
    await services.endUsers.deactivate(actorOf(principal, client), params.user);
    return { status: 204 };
  },
);
