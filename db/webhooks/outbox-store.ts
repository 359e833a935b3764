/** Inserts webhook events in the transaction of the change that they report. */
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import { type DeliveryRow, toDelivery, type WebhookDelivery } from './webhook-store.ts';

export type NewDelivery = Pick<
  WebhookDelivery,
  'id' | 'jobId' | 'organizationId' | 'workspaceId' | 'eventId' | 'eventType' | 'url' | 'payload'
>;

/** An event for the default callback URL of a workspace. */
export type NewEvent = Pick<
  WebhookDelivery,
  'id' | 'organizationId' | 'eventId' | 'eventType' | 'payload'
> & {
  /** Null: the default workspace of the organization. */
  workspaceId: string | null;
};

/** SQL: workspace `w` selects events of the bound type. */
const IS_SELECTED = '(w.webhook_event_types is null or ? = any(w.webhook_event_types))';

/** Writes events to the outbox. webhook-store.ts delivers them. */
export function createOutboxStore(handle: Handle) {
  return {
    async insert(delivery: NewDelivery): Promise<void> {
      await handle('webhook_deliveries').insert({
        id: delivery.id,
        job_id: delivery.jobId,
        organization_id: delivery.organizationId,
        workspace_id: delivery.workspaceId,
        event_id: delivery.eventId,
        event_type: delivery.eventType,
        url: delivery.url,
        payload: delivery.payload,
      });
    },

    /**
     * Writes an event for the default callback URL of its workspace. Returns null if there is no such URL, the
     * workspace does not select this type, or the event was written before.
     */
    async insertEvent(event: NewEvent): Promise<WebhookDelivery | null> {
      const { id, organizationId, workspaceId, eventId, eventType, payload } = event;
      const [row] = await uncheckedRowsOf<DeliveryRow>(
        handle,
        `insert into webhook_deliveries (id, organization_id, workspace_id, event_id, event_type, url, payload)
         select ?::uuid, w.organization_id, w.id, ?::text, ?::text, w.default_callback_url, ?::text from workspaces w
         where w.organization_id = ? and w.deleted_at is null and w.default_callback_url is not null
           and case when ?::uuid is null then w.is_default else w.id = ? end and ${IS_SELECTED}
         on conflict (event_id) do nothing
         returning *`,
        [id, eventId, eventType, payload, organizationId, workspaceId, workspaceId, eventType],
      );
      return row === undefined ? null : toDelivery(row);
    },

    /** Returns whether the default callback URL of the workspace receives events of this type. */
    async selects(workspaceId: string, eventType: string): Promise<boolean> {
      const rows = await uncheckedRowsOf<{ id: string }>(
        handle,
        `select w.id from workspaces w where w.id = ? and ${IS_SELECTED}`,
        [workspaceId, eventType],
      );
      return rows.length > 0;
    },
  };
}
