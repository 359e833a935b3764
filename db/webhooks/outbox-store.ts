/** Inserts webhook events in the transaction of the change that they report. */
import type { Handle } from '../postgres/connection.ts';
import { anyRows, firstRow } from '../postgres/results.ts';
import { selectList } from '../postgres/shape.ts';
import { run } from '../postgres/statement.ts';
import { DELIVERY, type WebhookDelivery } from './webhook-store.ts';

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

/** SQL: workspace `w` selects events of the type `:eventType`. */
const IS_SELECTED = '(w.webhook_event_types is null or :eventType = any(w.webhook_event_types))';

/** Writes events to the outbox. webhook-store.ts delivers them. */
export function createOutboxStore(handle: Handle) {
  return {
    async insert(delivery: NewDelivery): Promise<void> {
      await run(
        handle,
        `insert into webhook_deliveries (id, job_id, organization_id, workspace_id, event_id, event_type, url, payload)
         values (:id, :jobId, :organizationId, :workspaceId, :eventId, :eventType, :url, :payload)`,
        delivery,
      );
    },

    /**
     * Writes an event for the default callback URL of its workspace. Returns null if there is no such URL, the
     * workspace does not select this type, or the event was written before.
     */
    insertEvent: (event: NewEvent): Promise<WebhookDelivery | null> =>
      firstRow(
        handle,
        DELIVERY,
        `insert into webhook_deliveries (id, organization_id, workspace_id, event_id, event_type, url, payload)
         select :id::uuid, w.organization_id, w.id, :eventId::text, :eventType::text, w.default_callback_url, :payload::text
         from workspaces w
         where w.organization_id = :organizationId and w.deleted_at is null and w.default_callback_url is not null
           and case when :workspaceId::uuid is null then w.is_default else w.id = :workspaceId end and ${IS_SELECTED}
         on conflict (event_id) do nothing
         returning ${selectList(DELIVERY)}`,
        event,
      ),

    /** Returns whether the default callback URL of the workspace receives events of this type. */
    async selects(workspaceId: string, eventType: string): Promise<boolean> {
      const statement = `select from workspaces w where w.id = :workspaceId and ${IS_SELECTED}`;
      return anyRows(handle, statement, { workspaceId, eventType });
    },
  };
}
