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
      // The result of `respond`, now or when the key was first used.
      body: result.body as DestinationAnswer,
    };
  },
);
