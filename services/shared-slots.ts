/** Shares the slots of a queue in one process between organizations. */

export interface SharedSlotsOptions {
  /** The number of activities that the queue runs at once in this process. */
  slots: number;
  /** Called for each task that is sent away. */
  onSentAway?: () => void;
  now?: () => number;
}

interface Organization {
  held: number;
  /** The mean duration of its work, of which the latest counts for a tenth. */
  meanMs: number;
  /** The time at which the last one in its line may come back. */
  lineEndsAtMs: number;
}

/** The shortest wait in a line, and the assumed duration of work while none has ended yet. */
const FIRST_WAIT_MS = 1_000;
const WEIGHT_OF_LATEST = 0.1;

/**
 * Creates the shares. An organization holds at most as many slots as are free, so at most half of all. However slow its
 * work is, the work of others finds a slot at once. The surplus is sent away with the time to come back, in a line, so
 * that it occupies neither a slot nor the queue.
 */
export function createSharedSlots({ slots, onSentAway = () => {}, now = Date.now }: SharedSlotsOptions) {
  const organizations = new Map<string, Organization>();
  let used = 0;

  const hold = (id: string, organization: Organization): (() => void) => {
    const startedAtMs = now();
    used += 1;
    organization.held += 1;
    organizations.set(id, organization);
    return () => {
      used -= 1;
      organization.held -= 1;
      organization.meanMs += WEIGHT_OF_LATEST * (now() - startedAtMs - organization.meanMs);
      if (organization.held === 0) organizations.delete(id);
    };
  };

  return {
    /**
     * Takes a slot. Returns the function that gives it back, or the milliseconds after which to try again. Work that
     * comes for the first time does not overtake a line.
     */
    take(id: string, isFirstTry: boolean): (() => void) | number {
      const found = organizations.get(id);
      const organization = found ?? { held: 0, meanMs: FIRST_WAIT_MS, lineEndsAtMs: 0 };
      const { held, meanMs, lineEndsAtMs } = organization;
      // A line may be longer than necessary, because durations are estimates. Many free slots show that it is.
      const isInLine = isFirstTry && lineEndsAtMs > now() && held >= slots / 4;
      if (held < slots - used && !isInLine) return hold(id, organization);
      onSentAway();
      organization.lineEndsAtMs = Math.max(now() + FIRST_WAIT_MS, lineEndsAtMs + meanMs / (slots / 2));
      return organization.lineEndsAtMs - now();
    },
  };
}

export type SharedSlots = ReturnType<typeof createSharedSlots>;
