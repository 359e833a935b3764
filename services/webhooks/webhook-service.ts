import {
  createWebhookReadModel,
  type DeliveryPage,
  type DeliveryWithAttempts,
} from '../../db/webhooks/webhook-read-model.ts';
import { type WebhookDelivery, createWebhookStore } from '../../db/webhooks/webhook-store.ts';
import { readScope, type Actor, type Principal } from '../../domain/principal.ts';
import type { Logger } from '../../platform/logger.ts';
import { type StartDeliveryDeps, startDelivery } from './start-delivery.ts';
import { createAuditStore } from '../../db/accounts/audit-store.ts';
import { AppError } from '../../domain/errors.ts';

export interface WebhookServiceDeps extends StartDeliveryDeps {
  logger: Logger;
}

/** Lists the deliveries of webhooks and replays them for customers. */
export function createWebhookService(deps: WebhookServiceDeps) {
  return {
    listDeliveries: (
      principal: Principal,
      page: DeliveryPage,
    ): Promise<{ deliveries: DeliveryWithAttempts[]; totalCount: number }> =>
      createWebhookReadModel(deps.knex).list(readScope(principal), page),
    /** Replays a delivery; see `replayDelivery`. */
    async replay(actor: Actor, deliveryId: string): Promise<WebhookDelivery> {
      const { delivery, startError } = await replayDelivery(deps, actor, deliveryId);
      if (startError !== undefined) {
        deps.logger.warn({ err: startError, deliveryId }, 'replay not started yet; the sweep will start it');
      }
      return delivery;
    },
  };
}

export type WebhookService = ReturnType<typeof createWebhookService>;

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
