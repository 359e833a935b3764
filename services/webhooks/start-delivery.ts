import type { Handle } from '../../db/postgres/connection.ts';
import { createWebhookStore, type WebhookDelivery } from '../../db/webhooks/webhook-store.ts';
import type { WebhookSchedule } from '../../domain/runs.ts';
import type { RunStarter } from '../runs/run-starter.ts';

export interface StartDeliveryDeps {
  knex: Handle;
  runs: Pick<RunStarter, 'startWebhook'>;
  schedule: WebhookSchedule;
}

/**
 * Starts the workflow of a committed delivery, and records that it was started. Throws when Temporal does not answer;
 * the sweep starts the workflow later. A run that exists already is a success.
 */
export async function startDelivery(
  { knex, runs, schedule }: StartDeliveryDeps,
  { id: deliveryId, organizationId, workspaceId, jobId, replays: replay }: WebhookDelivery,
): Promise<void> {
  const job = jobId === null ? {} : { jobId };
  await runs.startWebhook({ deliveryId, organizationId, workspaceId, ...job, replay, schedule });
  await createWebhookStore(knex).markDispatched(deliveryId);
}
