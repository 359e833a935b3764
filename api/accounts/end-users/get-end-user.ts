/** Handles `GET /end-users/{user}`: returns one end user, active or not. */
import { operations } from '../../../contract/operations.ts';
import { presentEndUser } from './present-end-user.ts';
import { defineRoute } from '../../http/route.ts';

export const getEndUser = defineRoute(operations.getEndUser, async ({ principal, params }, { services }) => ({
  status: 200,
  body: { data: presentEndUser(await services.endUsers.get(principal.organizationId, params.user)) },
}));
