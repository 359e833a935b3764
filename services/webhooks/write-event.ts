/** Queues webhook events in the outbox, in the transaction of the change that they report. */
import type { Handle } from '../../db/postgres/connection.ts';
import { createOutboxStore } from '../../db/webhooks/outbox-store.ts';
import type { WebhookDelivery } from '../../db/webhooks/webhook-store.ts';
import { newUuid } from '../../domain/ids.ts';
import type { DeliveredEventType } from '../../domain/webhooks/webhook-event.ts';

/** The exact body that every attempt sends. Its renderer has checked it against the contract. */
export interface RenderedEvent {
  type: DeliveredEventType;
  payload: string;
}

/** An event that does not concern a video job. */
export interface WorkspaceEvent extends RenderedEvent {
  organizationId: string;
  /** When absent, the event belongs to the organization, and goes to its default workspace. */
  workspaceId?: string | undefined;
  /** The `webhook-id`. A repetition must have the same one, so build it from the ids of what happened. */
  eventId: string;
}

/** An event about a video job, with its owner and its destination. */
export interface JobEvent extends RenderedEvent {
  organizationId: string;
  workspaceId: string;
  eventId: string;
  jobId: string;
  url: string;
  /** True for the workspace's default URL, which receives selected types only. */
  isDefaultUrl: boolean;
}

/**
 * Writes an event into the outbox, for the default callback URL of its workspace. Call it inside the transaction of the
 * change that it reports, so that both are committed or neither is. Returns null when no URL receives the event, or
 * when it was written before.
 *
 * After the commit, `startDelivery` may start its workflow at once; otherwise the sweep does.
 */
export async function writeEvent(
  transaction: Handle,
  { type, workspaceId, ...event }: WorkspaceEvent,
): Promise<WebhookDelivery | null> {
  const row = { ...event, id: newUuid(), workspaceId: workspaceId ?? null, eventType: type };
  return createOutboxStore(transaction).insertEvent(row);
}

/**
 * Writes an event about a video job into the outbox, in the same way as `writeEvent`. Returns the id of the delivery,
 * or null when the URL is the workspace's default and does not receive this type of event.
 */
export async function writeJobEvent(
  transaction: Handle,
  { type, isDefaultUrl, ...event }: JobEvent,
): Promise<string | null> {
  const store = createOutboxStore(transaction);
  if (isDefaultUrl && !(await store.selects(event.workspaceId, type))) return null;
  const id = newUuid();
  await store.insert({ ...event, id, eventType: type });
  return id;
}
