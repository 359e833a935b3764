/** Handles `POST /observability/destinations`: creates a destination to which a workspace forwards its generations. */
import type { DestinationAnswer } from '../../contract/broadcast/destinations.ts';
import { operations } from '../../contract/operations.ts';
import { presentDestination } from './present-destination.ts';
import { defineRoute } from '../http/route.ts';
import { toDestinationDraft } from './to-destination-changes.ts';

export const createObservabilityDestination = defineRoute(
  operations.createObservabilityDestination,
  async ({ principal, client, body, idempotency }, { services }) => {
    const result = await services.destinations.create({ principal, client }, toDestinationDraft(body), {
      ...(idempotency === undefined ? {} : { idempotency }),
      respond: (destination) => ({ status: 201, body: { data: presentDestination(destination) } }),
    });
    return {
      status: 201,
      ...(result.replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
      // `respond` built this body now, or for the first request with the same idempotency key.
      body: result.body as DestinationAnswer,
    };
  },
);
