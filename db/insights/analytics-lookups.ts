/** Finds the workspaces of an organization, and the ledger's ids of its keys, for analytics queries. */
import { UNRESOLVED_WORKSPACE_ID } from '../../domain/insights/analytics-dimensions.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

/** Converts public ids in analytics queries to those of the ledger. */
export function createAnalyticsLookups(handle: Handle) {
  return {
    /** Returns all workspaces that the organization ever had, and the one that receives unresolved activity. */
    async workspacesOf(organizationId: string): Promise<{ ids: string[]; defaultId: string }> {
      const rows = await uncheckedRowsOf<{ id: string; is_default: boolean }>(
        handle,
        'select id, is_default from workspaces where organization_id = ?',
        [organizationId],
      );
      const defaultId = rows.find(({ is_default: isDefault }) => isDefault)?.id;
      if (defaultId === undefined) throw new Error('an organization without a default workspace');
      return { ids: rows.map(({ id }) => id), defaultId };
    },

    /** Returns the numeric ids of the organization's keys, by hash. */
    async keyIdsOf(organizationId: string, hashes: readonly string[]): Promise<Map<string, number>> {
      if (hashes.length === 0) return new Map();
      const rows = await uncheckedRowsOf<{ id: string; hash: string }>(
        handle,
        'select id, hash from api_keys where organization_id = ? and hash = any(?)',
        [organizationId, [...hashes]],
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
