/** Handles `PATCH /end-users/{user}`: sets whether an end user is active. */
import { operations } from '../../../contract/operations.ts';
import { actorOf } from '../../../domain/principal.ts';
import { presentEndUser } from './present-end-user.ts';
import { defineRoute } from '../../http/route.ts';

export const updateEndUser = defineRoute(
  operations.updateEndUser,
  async ({ principal, client, params, body }, { services }) => {
    const actor = actorOf(principal, client);
    const endUser = await services.endUsers.setActive(actor, params.user, body.is_active);
    return { status: 200, body: { data: presentEndUser(endUser) } };
  },
);
