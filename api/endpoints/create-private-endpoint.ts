/** Handles `POST /private-endpoints`: creates a draft of a private endpoint, and activates it on request. */
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { presentNotActivated } from './present-activation.ts';
import { presentManagedEndpoint } from './present-private-endpoint.ts';
import { defineRoute } from '../http/route.ts';
import { toEndpointDraft } from './to-endpoint-draft.ts';

export const createPrivateEndpoint = defineRoute(
  operations.createPrivateEndpoint,
  async ({ principal, client, body, idempotency, gone }, { services }) => {
    const actor = actorOf(principal, client);
    const { endpoint, replayed, activation } = await services.privateEndpoints.create(
      actor,
      toEndpointDraft(body),
      { ...(idempotency === undefined ? {} : { idempotency }), gone: gone() },
    );
    if (activation !== null && activation.kind !== 'activated')
      return presentNotActivated(endpoint, activation);
    return {
      status: 201,
      ...(replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
      body: { data: presentManagedEndpoint(endpoint) },
    };
  },
);
