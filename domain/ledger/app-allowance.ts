/** Prevents an organization from filling the table of apps with names from request headers. */
import type { AppFacts, GenerationRecord } from './generation.ts';

/** The most new apps that an organization may add to one process on a UTC day. */
const NEW_APPS_PER_DAY = 1_000;
const DAY_MS = 86_400_000;

/** Returns the key of an unknown app; undefined for a known one. */
export type UnknownKey = (app: AppFacts) => string | undefined;

/**
 * Limits the new apps of an organization. Rows of apps are permanent, and their names come from callers' headers. After
 * 1,000 new apps, further generations of the organization with an unknown app are recorded without one until the next
 * day. Costs nothing while no organization has reached the limit.
 */
export function createAppAllowance(now: () => number = Date.now) {
  const newAppsByOrganization = new Map<string, number>();
  const exhausted = new Set<string>();
  let day = 0;

  return {
    /** Counts the new apps of rows. Call it for rows with unknown apps. */
    charge(generations: readonly GenerationRecord[], unknownKey: UnknownKey): void {
      const today = Math.floor(now() / DAY_MS);
      if (today !== day) {
        day = today;
        newAppsByOrganization.clear();
        exhausted.clear();
      }
      const counted = new Set<string>();
      for (const { app, organizationId } of generations) {
        const key = app === null ? undefined : unknownKey(app);
        if (key === undefined || counted.has(`${organizationId} ${key}`)) continue;
        counted.add(`${organizationId} ${key}`);
        const newApps = (newAppsByOrganization.get(organizationId) ?? 0) + 1;
        newAppsByOrganization.set(organizationId, newApps);
        if (newApps >= NEW_APPS_PER_DAY) exhausted.add(organizationId);
      }
    },

    /** Returns the rows, without unknown apps of organizations over the limit. */
    within(generations: readonly GenerationRecord[], unknownKey: UnknownKey): readonly GenerationRecord[] {
      if (exhausted.size === 0 || Math.floor(now() / DAY_MS) !== day) return generations;
      return generations.map((generation) => {
        const { app, organizationId } = generation;
        const isTooMany = app !== null && exhausted.has(organizationId) && unknownKey(app) !== undefined;
        return isTooMany ? { ...generation, app: null } : generation;
      });
    },
  };
}
