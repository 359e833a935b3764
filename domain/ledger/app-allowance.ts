import type { AppFacts, GenerationRecord } from './generation.ts';

/** How many apps an organization may make known to one process on a UTC day. */
const NEW_APPS_A_DAY = 1_000;
const DAY_MS = 86_400_000;

/** An app's key, unless the app is known. */
export type UnknownKey = (app: AppFacts) => string | undefined;

/**
 * An app is a row for ever, and its name is whatever a caller writes into a header. An organization that brings ever
 * new names is told apart from its apps no more until the next day: what is recorded for it then has no app, unless
 * the app is known. Costs nothing while no organization is at its end.
 */
export function createAppAllowance(now: () => number = Date.now) {
  const broughtBy = new Map<string, number>();
  const exhausted = new Set<string>();
  let day = 0;

  return {
    /** To be called with rows of which some have apps that are not known. */
    charge(generations: readonly GenerationRecord[], unknownKey: UnknownKey): void {
      const today = Math.floor(now() / DAY_MS);
      if (today !== day) {
        day = today;
        broughtBy.clear();
        exhausted.clear();
      }
      const counted = new Set<string>();
      for (const { app, organizationId } of generations) {
        const key = app === null ? undefined : unknownKey(app);
        if (key === undefined || counted.has(`${organizationId} ${key}`)) continue;
        counted.add(`${organizationId} ${key}`);
        const brought = (broughtBy.get(organizationId) ?? 0) + 1;
        broughtBy.set(organizationId, brought);
        if (brought >= NEW_APPS_A_DAY) exhausted.add(organizationId);
      }
    },

    /** The rows as they may be recorded. */
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
