/** Handles `POST /end-users`: registers an end user, or makes an inactive one active again. */
import type { EndUserAnswer } from '../../../contract/accounts/end-users.ts';
import { operations } from '../../../contract/operations.ts';
import { actorOf } from '../../../domain/principal.ts';
import { presentEndUser } from './present-end-user.ts';
import { defineRoute } from '../../http/route.ts';

export const createEndUser = defineRoute(
  operations.createEndUser,
  async ({ principal, client, body, idempotency }, { services }) => {
    const result = await services.endUsers.register(actorOf(principal, client), body.user, {
      ...(idempotency === undefined ? {} : { idempotency }),
      respond: (endUser) => ({ status: 201, body: { data: presentEndUser(endUser) } }),
    });
    return {
      status: 201,
      ...(result.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
      // `respond` built this body now, or for the first request with the same idempotency key.
      body: result.body as EndUserAnswer,
    };
  },
);
