/** Reads webhook deliveries with their attempts. */
import type { ReadScope } from '../../domain/principal.ts';
import type { DeliveryStatus } from '../../domain/webhooks/webhook-delivery.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import {
  createWebhookStore,
  toDelivery,
  type WebhookAttempt,
  type WebhookDelivery,
} from './webhook-store.ts';

export interface DeliveryPage {
  limit: number;
  offset: number;
  workspaceId?: string | undefined;
  jobId?: string | undefined;
  status?: DeliveryStatus | undefined;
  /** The type of the event. */
  type?: string | undefined;
}

export type DeliveryWithAttempts = WebhookDelivery & { attempts: WebhookAttempt[] };

/** Reads the delivery log for customers, newest first. */
export function createWebhookReadModel(handle: Handle) {
  return {
    async list(
      scope: ReadScope,
      page: DeliveryPage,
    ): Promise<{ deliveries: DeliveryWithAttempts[]; totalCount: number }> {
      const conditions = ['organization_id = ?'];
      const bindings: string[] = [scope.organizationId];
      const add = (condition: string, value: string | undefined): void => {
        if (value === undefined) return;
        conditions.push(condition);
        bindings.push(value);
      };
      add('workspace_id = ?', scope.workspaceId);
      add('workspace_id = ?', page.workspaceId);
      add('job_id = ?', page.jobId);
      add('status = ?', page.status);
      add('event_type = ?', page.type);
      const where = conditions.join(' and ');
      const rows = await uncheckedRowsOf<Parameters<typeof toDelivery>[0]>(
        handle,
        `select * from webhook_deliveries where ${where} order by created_at desc, id desc limit ? offset ?`,
        [...bindings, page.limit, page.offset],
      );
      const [count] = await uncheckedRowsOf<{ n: string }>(
        handle,
        `select count(*) n from webhook_deliveries where ${where}`,
        bindings,
      );
      const attempts = await createWebhookStore(handle).attemptsOf(rows.map((row) => row.id));
      const deliveries = rows.map((row) => ({
        ...toDelivery(row),
        attempts: attempts.filter((attempt) => attempt.deliveryId === row.id),
      }));
      return { deliveries, totalCount: Number(count?.n ?? 0) };
    },
  };
}
