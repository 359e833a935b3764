import type { DestinationSettings, DestinationType } from '../../domain/broadcast/destination.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';
import {
  columnsOf,
  type DestinationColumns,
  type DestinationRow,
  type StoredDestination,
  toDestination,
} from './destination-rows.ts';

export type NewDestination = DestinationSettings &
  Pick<StoredDestination, 'id' | 'organizationId' | 'workspaceId' | 'type' | 'configSealed' | 'configShown'>;

/** Stores the destinations of workspaces. An organization sees only its own. */
export function createDestinationStore(handle: Handle) {
  const now = handle.raw('clock_timestamp()');
  return {
    ...destinationReads(handle),
    ...destinationRemovals(handle),

    /** Inserts a destination with idle progress. */
    async insert({
      id,
      organizationId,
      workspaceId,
      type,
      ...fields
    }: NewDestination): Promise<StoredDestination> {
      const [row] = await handle('observability_destinations')
        .insert({
          ...columnsOf(fields),
          id,
          organization_id: organizationId,
          workspace_id: workspaceId,
          type,
          created_at: now,
          updated_at: now,
        })
        .returning<DestinationRow[]>('*');
      if (row === undefined) throw new Error('insert returned no row');
      await handle('broadcast_progress').insert({ destination_id: id });
      return toDestination(row);
    },

    async update(id: string, changes: DestinationColumns): Promise<StoredDestination> {
      const [row] = await handle('observability_destinations')
        .where({ id })
        .update({ ...columnsOf(changes), updated_at: now })
        .returning<DestinationRow[]>('*');
      if (row === undefined) throw new Error('update found no row');
      return toDestination(row);
    },

    /** Clears failures, because the configuration that caused them was replaced. */
    async forgetFailures(id: string): Promise<void> {
      await handle('broadcast_progress')
        .where({ destination_id: id })
        .update({ failing_since: null, failures: 0, batch_failures: 0 });
    },

    /**
     * Clears failures, because their cause may be gone. A delivery that was disabled after a day of failures becomes
     * idle and can run again.
     */
    async restart(id: string): Promise<void> {
      await handle.raw(
        `update broadcast_progress
         set failing_since = null, failures = 0, batch_failures = 0,
           next_attempt_at = case when state = 'disabled' then null else next_attempt_at end,
           reason = case when state = 'disabled' then null else reason end,
           state = case when state = 'disabled' then 'idle' else state end
         where destination_id = ?`,
        [id],
      );
    },
  };
}

/** Builds the methods that read destinations. */
function destinationReads(handle: Handle) {
  return {
    async find(organizationId: string, id: string): Promise<StoredDestination | null> {
      const row = await destinations(handle).where({ organization_id: organizationId, id }).first();
      return row === undefined ? null : toDestination(row);
    },

    /** Returns the destination and locks it until the commit. Every change of a destination takes this lock. */
    async lock(organizationId: string, id: string): Promise<StoredDestination | null> {
      const row = await destinations(handle)
        .where({ organization_id: organizationId, id })
        .forNoKeyUpdate()
        .first();
      return row === undefined ? null : toDestination(row);
    },

    /** Lists destinations, the oldest first, so that a new destination does not move others to another page. */
    async list(
      workspaceId: string,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ destinations: StoredDestination[]; totalCount: number }> {
      const rows = await destinations(handle)
        .where({ workspace_id: workspaceId })
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .offset(offset);
      const count = await destinations(handle)
        .where({ workspace_id: workspaceId })
        .count<{ n: string }>({ n: '*' })
        .first();
      return { destinations: rows.map(toDestination), totalCount: Number(count?.n ?? 0) };
    },

    async countOfType(workspaceId: string, type: DestinationType): Promise<number> {
      const count = await destinations(handle)
        .where({ workspace_id: workspaceId, type })
        .count<{ n: string }>({ n: '*' })
        .first();
      return Number(count?.n ?? 0);
    },
  };
}

/** Builds the methods that delete destinations. */
function destinationRemovals(handle: Handle) {
  return {
    /** Deletes a destination with its progress and its cursors. */
    async delete(id: string): Promise<void> {
      await destinations(handle).where({ id }).delete();
    },

    /** Deletes the destinations of a workspace and returns their ids. */
    async deleteAllOf(workspaceId: string): Promise<string[]> {
      const rows = await uncheckedRowsOf<{ id: string }>(
        handle,
        'delete from observability_destinations where workspace_id = ? returning id',
        [workspaceId],
      );
      return rows.map(({ id }) => id);
    },
  };
}

function destinations(handle: Handle) {
  return handle<DestinationRow>('observability_destinations');
}
