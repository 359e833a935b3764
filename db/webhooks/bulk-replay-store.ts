/** Opens the ended deliveries of a workspace again, many at a time. */
import type { Handle } from '../postgres/connection.ts';
import { timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf, run } from '../postgres/statement.ts';

/** The deliveries to send again: those created from `since` until before `until`. */
export interface ReplayRange {
  workspaceId: string;
  since: Date;
  /** Null: until now. */
  until: Date | null;
  /** True: also those that were delivered. */
  isDeliveredToo: boolean;
}

/** SQL: the delivery failed. The index `webhook_deliveries_failed` has the same condition. */
export const HAS_FAILED = `status in ('exhausted', 'stopped')`;

export function createBulkReplayStore(handle: Handle) {
  return {
    /**
     * Makes replays of a workspace run one after another until the commit. Without this, a repeated request could skip
     * the rows of the first one, and store its own answer first.
     */
    async lock(workspaceId: string): Promise<void> {
      await run(handle, 'select from workspaces where id = :workspaceId for no key update', { workspaceId });
    },

    /**
     * Opens up to `limit` deliveries under their next replay number, the oldest first; the sweep starts them. Skips
     * those that another transaction changes. Returns the times of their creation, in ascending order.
     */
    async replay({ isDeliveredToo, ...range }: ReplayRange, limit: number): Promise<Date[]> {
      const rows = await rowsOf(
        handle,
        { id: uuid, createdAt: timestamptz },
        `with chosen as (
           select id from webhook_deliveries
           where workspace_id = :workspaceId and created_at >= :since
             and created_at < coalesce(:until::timestamptz, 'infinity')
             and ${isDeliveredToo ? `status <> 'pending'` : HAS_FAILED}
           order by created_at, id limit :limit for update skip locked
         ), opened as (
           update webhook_deliveries set replays = replays + 1, status = 'pending', completed_at = null,
                  dispatched_at = null
           where id in (select id from chosen)
           returning id, created_at
         )
         select id, created_at "createdAt" from opened order by created_at, id`,
        { ...range, limit },
      );
      return rows.map(({ createdAt }) => createdAt);
    },
  };
}
