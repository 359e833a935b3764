import { createSendDeps } from '../../services/broadcast/destinations/send-to-destination.ts';
import { createDestinationService } from '../../services/broadcast/destination-service.ts';
import type { ServiceParts } from '../service-parts.ts';

/** Creates the service for the destinations that receive an organization's traces. */
export function createBroadcastServices({ knex, encryption, guard, memory, nudger }: ServiceParts) {
  return {
    destinations: createDestinationService({
      knex,
      encryption,
      checkUrl: (url) => guard.checkUrl(url),
      settings: memory.workspaceSettings,
      send: createSendDeps(guard),
      changed: nudger.wake,
    }),
  };
}
