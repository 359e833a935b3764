/** Delivers a past webhook event again when a customer requests it. */
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import { createWebhookStore, type WebhookDelivery } from '../../db/webhooks/webhook-store.ts';
import { AppError } from '../../domain/errors.ts';
import type { Actor } from '../../domain/principal.ts';
import { startDelivery, type StartDeliveryDeps } from './start-delivery.ts';

export interface ReplayedDelivery {
  delivery: WebhookDelivery;
  /** The error when the workflow could not be started now. The sweep will start it. */
  startError?: unknown;
}

/**
 * Sends the same event again, on the whole schedule, under the same `webhook-id`. Commits the row and its audit entry
 * first, then starts the workflow, which may fail. Throws 404 for unknown and foreign ids, and 409 while the delivery
 * is still being attempted.
 */
export async function replayDelivery(
  deps: StartDeliveryDeps,
  actor: Actor,
  deliveryId: string,
): Promise<ReplayedDelivery> {
  const delivery = await deps.knex.transaction(async (transaction) => {
    const { organizationId } = actor;
    const store = createWebhookStore(transaction);
    if ((await store.findInScope({ organizationId }, deliveryId)) === null) throw new AppError('not_found');
    const opened = await store.beginReplay({ organizationId }, deliveryId);
    if (opened === null) throw new AppError('conflict', { reason: 'delivery_in_progress' });
    const target = `webhooks/deliveries/${deliveryId}`;
    await createAuditStore(transaction).insert(actor, { action: 'replayWebhookDelivery', target });
    return opened;
  });
  try {
    await startDelivery(deps, delivery);
    return { delivery };
  } catch (startError) {
    return { delivery, startError };
  }
}
