import { operations } from '../../../contract/operations.ts';
import { actorOf } from '../../../domain/principal.ts';
import { presentDestination } from '../../presenters/destination.ts';
import { requireUpdateFields } from '../../request/require-update-fields.ts';
import { defineRoute } from '../../route.ts';
import { toDestinationChanges, toDestinationConfig } from './to-destination-changes.ts';

export const updateObservabilityDestination = defineRoute(
  operations.updateObservabilityDestination,
  async ({ principal, client, params, body: { config: given, ...body } }, { services }) => {
    // The type says what the configuration may hold; it never changes.
    const { type } = await services.destinations.get(principal.organizationId, params.id);
    const config = given === undefined ? {} : { config: toDestinationConfig(type, given) };
    const changes = requireUpdateFields({ ...toDestinationChanges(body), ...config });
    const destination = await services.destinations.update(actorOf(principal, client), params.id, changes);
    return { status: 200, body: { data: presentDestination(destination) } };
  },
);
