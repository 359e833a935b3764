/** Answers the operations on end users. */
import type { endUserOperations, EndUserRecord } from '../../contract/accounts/end-users.ts';
import type { EndUser } from '../../domain/accounts/end-user.ts';
import { actorOf } from '../../domain/principal.ts';
import type { EndUserService } from '../../services/accounts/end-user-service.ts';
import { answerIdempotently } from '../http/answer-idempotently.ts';
import type { RoutesOf } from '../http/route.ts';

export const endUserRoutes: RoutesOf<typeof endUserOperations, { endUsers: EndUserService }> = {
  /** Handles `GET /end-users`: lists the end users that the organization registered. */
  listEndUsers: async (
    { principal, query: { user, include_inactive: includeInactive, ...page } },
    { services },
  ) => {
    const filter = { user, includeInactive };
    const { endUsers, totalCount } = await services.endUsers.list(principal.organizationId, filter, page);
    return { status: 200, body: { data: endUsers.map(presentEndUser), total_count: totalCount } };
  },

  /** Handles `POST /end-users`: registers an end user, or makes an inactive one active again. */
  createEndUser: (call, { services }) =>
    answerIdempotently(
      call,
      (endUser: EndUser) => ({ status: 201, body: { data: presentEndUser(endUser) } }),
      (once) => services.endUsers.register(actorOf(call), call.body.user, once),
    ),

  /** Handles `GET /end-users/{user}`: returns one end user, active or not. */
  getEndUser: async ({ principal, params }, { services }) => ({
    status: 200,
    body: { data: presentEndUser(await services.endUsers.get(principal.organizationId, params.user)) },
  }),

  /** Handles `PATCH /end-users/{user}`: sets whether an end user is active. */
  updateEndUser: async (call, { services }) => {
    const endUser = await services.endUsers.setActive(actorOf(call), call.params.user, call.body.is_active);
    return { status: 200, body: { data: presentEndUser(endUser) } };
  },

  /** Handles `DELETE /end-users/{user}`: makes an end user inactive and keeps the registration. */
  deleteEndUser: async (call, { services }) => {
    await services.endUsers.deactivate(actorOf(call), call.params.user);
    return { status: 204 };
  },
};

/** Turns an end user into the record that the responses on end users show. */
function presentEndUser({ externalUser, isActive, createdAt, updatedAt }: EndUser): EndUserRecord {
  return {
    user: externalUser,
    is_active: isActive,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
