import {
  createWebhookReadModel,
  type DeliveryPage,
  type DeliveryWithAttempts,
} from '../../db/webhook-read-model.ts';
import type { WebhookDelivery } from '../../db/webhook-store.ts';
import { readScope, type Actor, type Principal } from '../../domain/principal.ts';
import type { Encryption } from '../../platform/encryption.ts';
import type { Logger } from '../../platform/logger.ts';
import type { OnceAnswer } from '../idempotency/answer-once.ts';
import { replayDelivery } from './replay-delivery.ts';
import { rotateSecret, type RotateOptions } from './rotate-secret.ts';
import type { StartDeliveryDeps } from './start-delivery.ts';
import { tryCallback, type TryDeps, type TryOptions, type TryResult } from './try-callback.ts';

export interface WebhookServiceDeps extends StartDeliveryDeps, TryDeps {
  encryption: Pick<Encryption, 'seal' | 'open'>;
  logger: Logger;
}

/** The delivery log, replays, signing secrets and trials of callback URLs, as customers use them. */
export interface WebhookService {
  listDeliveries(
    principal: Principal,
    page: DeliveryPage,
  ): Promise<{ deliveries: DeliveryWithAttempts[]; totalCount: number }>;
  /** See `replayDelivery`. */
  replay(actor: Actor, deliveryId: string): Promise<WebhookDelivery>;
  /** See `rotateSecret`. */
  rotateSecret(actor: Actor, workspace: string, options: RotateOptions): Promise<OnceAnswer>;
  /** See `tryCallback`. */
  tryCallback(organizationId: string, workspace: string, options: TryOptions): Promise<TryResult>;
}

export function createWebhookService(deps: WebhookServiceDeps): WebhookService {
  return {
    listDeliveries: (principal, page) => createWebhookReadModel(deps.knex).list(readScope(principal), page),
    async replay(actor, deliveryId) {
      const { delivery, startError } = await replayDelivery(deps, actor, deliveryId);
      if (startError !== undefined) {
        deps.logger.warn({ err: startError, deliveryId }, 'replay not started yet; the sweep will start it');
      }
      return delivery;
    },
    rotateSecret: (actor, workspace, options) => rotateSecret(deps, actor, workspace, options),
    tryCallback: (organizationId, workspace, options) =>
      tryCallback(deps, organizationId, workspace, options),
  };
}
