import type { DestinationSettings, DestinationType } from '../../domain/broadcast/destination.ts';
import type { Handle } from '../postgres/connection.ts';
import { countRows, firstRow, idsOf, oneRow } from '../postgres/results.ts';
import { columnsOf, selectList } from '../postgres/shape.ts';
import { rowsOf, run, tables } from '../postgres/statement.ts';
import {
  DESTINATION,
  type DestinationColumns,
  destinationColumns,
  DESTINATIONS,
  type StoredDestination,
  toDestination,
} from './destination-rows.ts';

const COLUMNS = selectList(DESTINATION);
const NOW = tables.raw('clock_timestamp()');
const OF_WORKSPACE = 'from observability_destinations where workspace_id = :workspaceId';

export type NewDestination = DestinationSettings &
  Pick<StoredDestination, 'id' | 'organizationId' | 'workspaceId' | 'type' | 'configSealed' | 'configShown'>;

/** Stores the destinations of workspaces. An organization sees only its own. */
export function createDestinationStore(handle: Handle) {
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
      const place = columnsOf({ id, organizationId, workspaceId, type, createdAt: NOW, updatedAt: NOW });
      const insert = tables('observability_destinations').insert({ ...destinationColumns(fields), ...place });
      const row = await oneRow(handle, DESTINATION, insert.returning(tables.raw(COLUMNS)));
      await run(handle, 'insert into broadcast_progress (destination_id) values (:id)', { id });
      return toDestination(row);
    },

    async update(id: string, changes: DestinationColumns): Promise<StoredDestination> {
      const columns = { ...destinationColumns(changes), updated_at: NOW };
      const update = tables('observability_destinations').where({ id }).update(columns);
      const row = await oneRow(handle, DESTINATION, update.returning(tables.raw(COLUMNS)));
      return toDestination(row);
    },

    /** Clears failures, because the configuration that caused them was replaced. */
    async forgetFailures(id: string): Promise<void> {
      await run(
        handle,
        `update broadcast_progress set failing_since = null, failures = 0, batch_failures = 0
         where destination_id = :id`,
        { id },
      );
    },

    /**
     * Clears failures, because their cause may be gone. A delivery that was disabled after a day of failures becomes
     * idle and can run again.
     */
    async restart(id: string): Promise<void> {
      await run(
        handle,
        `update broadcast_progress
         set failing_since = null, failures = 0, batch_failures = 0,
           next_attempt_at = case when state = 'disabled' then null else next_attempt_at end,
           reason = case when state = 'disabled' then null else reason end,
           state = case when state = 'disabled' then 'idle' else state end
         where destination_id = :id`,
        { id },
      );
    },
  };
}

/** Builds the methods that read destinations. */
function destinationReads(handle: Handle) {
  return {
    find: (organizationId: string, id: string): Promise<StoredDestination | null> =>
      findOne(handle, organizationId, id, ''),

    /** Returns the destination and locks it until the commit. Every change of a destination takes this lock. */
    lock: (organizationId: string, id: string): Promise<StoredDestination | null> =>
      findOne(handle, organizationId, id, 'for no key update'),

    /** Lists destinations, the oldest first, so that a new destination does not move others to another page. */
    async list(
      workspaceId: string,
      page: { limit: number; offset: number },
    ): Promise<{ destinations: StoredDestination[]; totalCount: number }> {
      const rows = await rowsOf(
        handle,
        DESTINATION,
        `${DESTINATIONS} where workspace_id = :workspaceId order by created_at, id limit :limit offset :offset`,
        { workspaceId, ...page },
      );
      const totalCount = await countRows(handle, OF_WORKSPACE, { workspaceId });
      return { destinations: rows.map(toDestination), totalCount };
    },

    countOfType: (workspaceId: string, type: DestinationType): Promise<number> =>
      countRows(handle, `${OF_WORKSPACE} and type = :type`, { workspaceId, type }),
  };
}

/** Builds the methods that delete destinations. */
function destinationRemovals(handle: Handle) {
  return {
    /** Deletes a destination with its progress and its cursors. */
    async delete(id: string): Promise<void> {
      await run(handle, 'delete from observability_destinations where id = :id', { id });
    },

    /** Deletes the destinations of a workspace and returns their ids. */
    deleteAllOf: (workspaceId: string): Promise<string[]> =>
      idsOf(handle, 'delete from observability_destinations where workspace_id = :workspaceId returning id', {
        workspaceId,
      }),
  };
}

async function findOne(
  handle: Handle,
  organizationId: string,
  id: string,
  lock: string,
): Promise<StoredDestination | null> {
  const statement = `${DESTINATIONS} where organization_id = :organizationId and id = :id ${lock}`;
  const row = await firstRow(handle, DESTINATION, statement, { organizationId, id });
  return row && toDestination(row);
}
