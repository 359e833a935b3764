import {
  createWebhookReadModel,
  type DeliveryPage,
  type DeliveryWithAttempts,
} from '../../db/webhooks/webhook-read-model.ts';
import type { WebhookDelivery } from '../../db/webhooks/webhook-store.ts';
import { readScope, type Actor, type Principal } from '../../domain/principal.ts';
import type { Logger } from '../../platform/logger.ts';
import { replayDelivery } from './replay-delivery.ts';
import type { StartDeliveryDeps } from './start-delivery.ts';

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
