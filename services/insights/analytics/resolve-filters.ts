/**
 * Translates the filters of an analytics query into ids of the ledger, limited to the organization's own workspaces and
 * keys.
 */
import { type AnalyticsLookups, withUnresolved } from '../../../db/insights/analytics-lookups.ts';
import type { AnalyticsScope, ResolvedFilter } from '../../../db/insights/analytics-conditions.ts';
import type { AnalyticsFilter, Scalar } from '../../../domain/insights/analytics-query.ts';

/** An id that no key has. It replaces hashes that belong to no key of the organization. */
const NO_KEY = 0;

export interface ResolvedScope {
  scope: AnalyticsScope;
  filters: ResolvedFilter[];
  /** The hashes that are no key of the organization. */
  unknownHashes: string[];
}

/**
 * Returns the scope of a query, with its filters in the ledger's own ids. Filters on workspaces narrow the scope,
 * since an organization has few workspaces.
 */
export async function resolveFilters(
  lookups: AnalyticsLookups,
  organizationId: string,
  filters: readonly AnalyticsFilter[],
  onlyWorkspaceId?: string,
): Promise<ResolvedScope> {
  const { ids, defaultId } = await lookups.workspacesOf(organizationId);
  const wanted = filters
    .filter(({ field }) => field === 'workspace')
    .reduce(
      (kept, filter) => kept.filter((id) => passes(filter, id)),
      ids.filter((id) => onlyWorkspaceId === undefined || id === onlyWorkspaceId),
    );
  const workspaceIds = withUnresolved(wanted, defaultId);
  const hashes = hashesIn(filters);
  const keyIds = await lookups.keyIdsOf(organizationId, hashes);
  return {
    unknownHashes: hashes.filter((hash) => !keyIds.has(hash)),
    scope: { organizationId, workspaceIds, defaultWorkspaceId: defaultId },
    filters: filters.flatMap(({ field, operator, value, includeUnset }): ResolvedFilter[] => {
      if (field === 'workspace') return [];
      const isList = operator === 'in' || operator === 'not_in';
      const values =
        field === 'api_key_id' ? listOf(value).map((one) => keyIdOf(one, keyIds)) : listOf(value);
      return [{ field, operator, values, includeUnset: includeUnset && isList }];
    }),
  };
}

function passes({ operator, value }: AnalyticsFilter, workspaceId: string): boolean {
  const isNamed = listOf(value).some((one) => String(one).toLowerCase() === workspaceId);
  return operator === 'eq' || operator === 'in' ? isNamed : !isNamed;
}

function hashesIn(filters: readonly AnalyticsFilter[]): string[] {
  const values = filters.filter(({ field }) => field === 'api_key_id').flatMap(({ value }) => listOf(value));
  return [...new Set(values.filter(isHash).map((hash) => hash.toLowerCase()))];
}

function keyIdOf(value: Scalar, keyIds: ReadonlyMap<string, number>): number {
  return isHash(value) ? (keyIds.get(value.toLowerCase()) ?? NO_KEY) : Number(value);
}

/** Returns whether the value is a hash. The contract admits hashes and numeric ids, which are shorter. */
function isHash(value: Scalar): value is string {
  return typeof value === 'string' && value.length === 64;
}

function listOf(value: Scalar | Scalar[]): Scalar[] {
  return Array.isArray(value) ? value : [value];
}
