/** Reads webhook deliveries with their attempts. */
import type { ReadScope } from '../../domain/principal.ts';
import type { DeliveryStatus } from '../../domain/webhooks/webhook-delivery.ts';
import type { Handle } from '../postgres/connection.ts';
import { countRows } from '../postgres/results.ts';
import { selectList } from '../postgres/shape.ts';
import { joined, sql, trustedText } from '../postgres/sql-text.ts';
import { rowsOf } from '../postgres/statement.ts';
import { createWebhookStore, DELIVERY, type WebhookAttempt, type WebhookDelivery } from './webhook-store.ts';

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
      const where = joined(
        [
          sql`from webhook_deliveries where organization_id = ${scope.organizationId}`,
          scope.workspaceId === undefined ? undefined : sql`workspace_id = ${scope.workspaceId}`,
          page.workspaceId === undefined ? undefined : sql`workspace_id = ${page.workspaceId}`,
          page.jobId === undefined ? undefined : sql`job_id = ${page.jobId}`,
          page.status === undefined ? undefined : sql`status = ${page.status}`,
          page.type === undefined ? undefined : sql`event_type = ${page.type}`,
        ],
        ' and ',
      );
      const rows = await rowsOf(
        handle,
        DELIVERY,
        sql`select ${trustedText(selectList(DELIVERY))} ${where}
          order by created_at desc, id desc limit ${page.limit} offset ${page.offset}`,
      );
      const attempts = await createWebhookStore(handle).attemptsOf(rows.map((row) => row.id));
      const deliveries = rows.map((row) => ({
        ...row,
        attempts: attempts.filter((attempt) => attempt.deliveryId === row.id),
      }));
      return { deliveries, totalCount: await countRows(handle, where) };
    },
  };
}
