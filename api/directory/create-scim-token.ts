/** Handles `POST /scim/tokens`: creates a bearer token for an identity provider and shows it once. */
import type { CreatedScimTokenAnswer } from '../../contract/directory/scim-tokens.ts';
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { presentCreatedScimToken } from './present-scim-token.ts';
import { defineRoute } from '../http/route.ts';

export const createScimToken = defineRoute(
  operations.createScimToken,
  async ({ principal, client, body, idempotency }, { services }) => {
    const result = await services.scimTokens.create(actorOf(principal, client), body.label, {
      ...(idempotency === undefined ? {} : { idempotency }),
      respond: (created) => ({ status: 201, body: presentCreatedScimToken(created) }),
    });
    return {
      status: 201,
      ...(result.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
      // `respond` built this body now, or for the first request with the same idempotency key.
      body: result.body as CreatedScimTokenAnswer,
    };
  },
);
