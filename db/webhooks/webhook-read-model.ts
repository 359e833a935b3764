/** Reads webhook deliveries with their attempts. */
import type { ReadScope } from '../../domain/principal.ts';
import type { DeliveryStatus } from '../../domain/webhooks/webhook-delivery.ts';
import type { Handle } from '../postgres/connection.ts';
import { countRows } from '../postgres/results.ts';
import { selectList } from '../postgres/shape.ts';
import { joined, type Sql, sql, trustedText } from '../postgres/sql-text.ts';
import { rowsOf } from '../postgres/statement.ts';
import { HAS_FAILED } from './bulk-replay-store.ts';
import { createWebhookStore, DELIVERY, type WebhookAttempt, type WebhookDelivery } from './webhook-store.ts';

export interface DeliveryPage {
  limit: number;
  offset: number;
  workspaceId?: string | undefined;
  jobId?: string | undefined;
  /** `failed` stands for all states of failed deliveries. */
  status?: DeliveryStatus | 'failed' | undefined;
  /** Only deliveries created at or after this time. */
  since?: Date | undefined;
  /** Only deliveries created before this time. */
  until?: Date | undefined;
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
          conditionOnStatus(page.status),
          page.since === undefined ? undefined : sql`created_at >= ${page.since}`,
          page.until === undefined ? undefined : sql`created_at < ${page.until}`,
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

function conditionOnStatus(status: DeliveryPage['status']): Sql | undefined {
  if (status === undefined) return undefined;
  return status === 'failed' ? trustedText(HAS_FAILED) : sql`status = ${status}`;
}
