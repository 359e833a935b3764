import type { Handle } from './open-database.ts';
import type { WebhookDelivery } from '../../db/webhooks/webhook-store.ts';
import { newUuid } from '../../domain/ids.ts';
import { type WorkspaceEvent, writeEvent } from '../../services/webhooks/write-event.ts';
import type { Gateway } from './gateway.ts';

/**
 * Commits an event about no job to the outbox and starts nothing, as a process that dies right after the commit. It is
 * the gateway's own workspace's, unless the facts say otherwise.
 */
export async function commitEvent(
  { organizationId, workspaceId }: Pick<Gateway, 'organizationId' | 'workspaceId'>,
  knex: Handle,
  facts: Partial<WorkspaceEvent> = {},
): Promise<WebhookDelivery | null> {
  const eventId = `event-${newUuid()}`;
  const payload = JSON.stringify({ event: facts.eventId ?? eventId });
  const event = {
    type: 'video.generation.completed',
    payload,
    organizationId,
    workspaceId,
    eventId,
  } as const;
  return knex.transaction((transaction) => writeEvent(transaction, { ...event, ...facts }));
}
