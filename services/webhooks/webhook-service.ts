import type { Handle } from '../../db/connection.ts';
import {
  createWebhookReadModel,
  type DeliveryPage,
  type DeliveryWithAttempts,
} from '../../db/webhook-read-model.ts';
import { createWebhookStore, type WebhookDelivery } from '../../db/webhook-store.ts';
import { AppError } from '../../domain/errors.ts';
import { readScope, type Principal } from '../../domain/principal.ts';
import type { WebhookSchedule } from '../../domain/runs.ts';
import type { Logger } from '../../platform/logger.ts';
import type { RunStarter } from '../runs/run-starter.ts';

export interface WebhookServiceDeps {
  knex: Handle;
  runs: Pick<RunStarter, 'startWebhook'>;
  schedule: WebhookSchedule;
  logger: Logger;
}

/** The delivery log and replays, as customers use them. */
export function createWebhookService(deps: WebhookServiceDeps) {
  const store = createWebhookStore(deps.knex);
  return {
    listDeliveries(
      principal: Principal,
      page: DeliveryPage,
    ): Promise<{ deliveries: DeliveryWithAttempts[]; totalCount: number }> {
      return createWebhookReadModel(deps.knex).list(readScope(principal), page);
    },

    /**
     * Sends the same event again, on the whole schedule, under the same `webhook-id`. The row is written
     * first; if Temporal is away the sweep starts it. 404 for unknown and foreign ids, 409 while the delivery
     * is still being attempted.
     */
    async replay(principal: Principal, deliveryId: string): Promise<WebhookDelivery> {
      const scope = readScope(principal);
      if ((await store.findInScope(scope, deliveryId)) === null) throw new AppError('not_found');
      const delivery = await store.beginReplay(scope, deliveryId);
      if (delivery === null) throw new AppError('conflict', { reason: 'delivery_in_progress' });
      await start(deps, delivery);
      return delivery;
    },
  };
}

export type WebhookService = ReturnType<typeof createWebhookService>;

async function start(deps: WebhookServiceDeps, delivery: WebhookDelivery): Promise<void> {
  const { id: deliveryId, workspaceId, jobId, replays: replay } = delivery;
  try {
    await deps.runs.startWebhook({ deliveryId, workspaceId, jobId, replay, schedule: deps.schedule });
    await createWebhookStore(deps.knex).markDispatched(deliveryId);
  } catch (error) {
    deps.logger.warn({ err: error, deliveryId }, 'replay not started yet; the sweep will start it');
  }
}
