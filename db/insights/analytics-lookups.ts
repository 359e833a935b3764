/** Finds the workspaces of an organization, and the ledger's ids of its keys, for analytics queries. */
import { UNRESOLVED_WORKSPACE_ID } from '../../domain/insights/analytics-dimensions.ts';
import type { Handle } from '../postgres/connection.ts';
import { bool, int8, text, uuid } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

/** Converts public ids in analytics queries to those of the ledger. */
export function createAnalyticsLookups(handle: Handle) {
  return {
    /** Returns all workspaces that the organization ever had, and the one that receives unresolved activity. */
    async workspacesOf(organizationId: string): Promise<{ ids: string[]; defaultId: string }> {
      const rows = await rowsOf(
        handle,
        { id: uuid, isDefault: bool },
        'select id, is_default "isDefault" from workspaces where organization_id = :organizationId',
        { organizationId },
      );
      const defaultId = rows.find(({ isDefault }) => isDefault)?.id;
      if (defaultId === undefined) throw new Error('an organization without a default workspace');
      return { ids: rows.map(({ id }) => id), defaultId };
    },

    /** Returns the numeric ids of the organization's keys, by hash. */
    async keyIdsOf(organizationId: string, hashes: readonly string[]): Promise<Map<string, number>> {
      if (hashes.length === 0) return new Map();
      const rows = await rowsOf(
        handle,
        { id: int8, hash: text },
        'select id, hash from api_keys where organization_id = :organizationId and hash = any(:hashes)',
        { organizationId, hashes },
      );
      return new Map(rows.map(({ id, hash }) => [hash, Number(id)]));
    },
  };
}

export type AnalyticsLookups = ReturnType<typeof createAnalyticsLookups>;

/** Adds the id of unresolved activity if the default workspace is selected, which includes it. */
export function withUnresolved(workspaceIds: readonly string[], defaultId: string): string[] {
  return workspaceIds.includes(defaultId) ? [...workspaceIds, UNRESOLVED_WORKSPACE_ID] : [...workspaceIds];
}
