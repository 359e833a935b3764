import type { ManagedEndpointAnswer } from '../../../contract/endpoints/private-endpoints.ts';
import { operations } from '../../../contract/operations.ts';
import { actorOf } from '../../../domain/principal.ts';
import { presentManagedEndpoint } from '../../presenters/private-endpoint.ts';
import { defineRoute } from '../../route.ts';
import { toEndpointDraft } from './to-endpoint-draft.ts';

export const createPrivateEndpoint = defineRoute(
  operations.createPrivateEndpoint,
  async ({ principal, client, body, idempotency, gone }, { services }) => {
    const actor = actorOf(principal, client);
    const result = await services.privateEndpoints.create(actor, toEndpointDraft(body), {
      ...(idempotency === undefined ? {} : { idempotency }),
      respond: (endpoint) => ({ status: 201, body: { data: presentManagedEndpoint(endpoint) } }),
      gone: gone(),
    });
    return {
      status: 201,
      ...(result.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
      body: result.body as ManagedEndpointAnswer,
    };
  },
);
