/** Handles `PATCH /observability/destinations/{id}`: changes the fields of a destination that the body names. */
import { parseDestinationConfig } from '../../contract/broadcast/destination-configs.ts';
import { operations } from '../../contract/operations.ts';
import { actorOf } from '../../domain/principal.ts';
import { presentDestination } from './present-destination.ts';
import { requireUpdateFields } from '../http/request/require-update-fields.ts';
import { defineRoute } from '../http/route.ts';
import { withoutUndefined } from '../http/request/without-undefined.ts';
import { toDestinationChanges } from './to-destination-changes.ts';

export const updateObservabilityDestination = defineRoute(
  operations.updateObservabilityDestination,
  async ({ principal, client, params, body: { config: given, ...body } }, { services }) => {
    // The type determines the configuration's fields, and never changes.
    const { type } = await services.destinations.get(principal.organizationId, params.id);
    const { config, issues } = given === undefined ? { issues: [] } : parseDestinationConfig(type, given);
    const actor = actorOf(principal, client);
    const changes = withoutUndefined({ ...toDestinationChanges(body), config });
    if (given === undefined) requireUpdateFields(changes);
    const destination = await services.destinations.update(actor, params.id, changes, issues);
    return { status: 200, body: { data: presentDestination(destination) } };
  },
);
