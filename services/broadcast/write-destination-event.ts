/** Notifies a workspace by webhook of an event about one of its observability destinations. */
import { findStoredDestination } from '../../db/broadcast/find-stored-destination.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { type DestinationEvent, destinationEventId } from '../../domain/broadcast/destination-event.ts';
import type { DestinationType } from '../../domain/broadcast/destination.ts';
import { type RenderedEvent, writeEvent } from '../webhooks/write-event.ts';

/** Renders the body of an event about a destination, checked against the contract. */
export type RenderDestinationEvent = (
  event: DestinationEvent,
  destination: { name: string | null; type: DestinationType },
  at: Date,
) => RenderedEvent;

/** Writes the event into the outbox, in the transaction that changes the destination. The sweep starts its delivery. */
export async function writeDestinationEvent(
  render: RenderDestinationEvent,
  transaction: Handle,
  event: DestinationEvent,
): Promise<void> {
  const destination = await findStoredDestination(transaction, event.destinationId);
  if (destination === null) return;
  const { organizationId, workspaceId } = event;
  await writeEvent(transaction, {
    ...render(event, destination, new Date()),
    organizationId,
    workspaceId,
    eventId: destinationEventId(event),
  });
}
