/** What is known of the last stretches of time, such as hours, by their number since the epoch. */
export interface Stretches<T> {
  /**
   * Reads what is not known, then what may have changed, each the newest first, until that took a few seconds; the rest
   * is for the next turn. Rejects at the first that cannot be read; what is known stays.
   */
  refresh(): Promise<void>;
  entries(): Iterable<[stretch: number, value: T]>;
}

export interface StretchesOptions<T> {
  lengthMs: number;
  /** How many are known, the present one among them. */
  count: number;
  /** So long after a stretch something may still be recorded that belongs to it. */
  openMs: number;
  read(since: Date, until: Date): Promise<T>;
  now: () => number;
}

/** Of one turn. */
const BUDGET_MS = 5_000;
/** What takes long to read is read less often: for a twentieth of the time at most. */
const SHARE_OF_TIME = 20;
/** A clock that leaps makes things take long, too. */
const LONGEST_REST_MS = 30 * 60_000;

/** How long to wait before something is read again that took so long to read. */
export function restAfter(tookMs: number): number {
  return Math.min(tookMs * SHARE_OF_TIME, LONGEST_REST_MS);
}

interface Known<T> {
  value: T;
  readAtMs: number;
  tookMs: number;
}

/** Those that are over for long enough when they are read are read once. */
export function createStretches<T>(options: StretchesOptions<T>): Stretches<T> {
  const { lengthMs, count, openMs, read, now } = options;
  const known = new Map<number, Known<T>>();

  const isDue = (stretch: number, nowMs: number): boolean => {
    const last = known.get(stretch);
    if (last === undefined) return true;
    const isFinal = last.readAtMs >= (stretch + 1) * lengthMs + openMs;
    return !isFinal && nowMs - last.readAtMs >= restAfter(last.tookMs);
  };

  return {
    async refresh() {
      const startedAtMs = now();
      const current = Math.floor(startedAtMs / lengthMs);
      const first = current - count + 1;
      for (const stretch of known.keys()) if (stretch < first || stretch > current) known.delete(stretch);
      const all = Array.from({ length: count }, (_, n) => current - n);
      // What is read anew each time would otherwise leave no time for what never was.
      const unknown = all.filter((stretch) => !known.has(stretch));
      for (const stretch of [...unknown, ...all.filter((each) => !unknown.includes(each))]) {
        const readAtMs = now();
        if (readAtMs - startedAtMs > BUDGET_MS) return;
        if (!isDue(stretch, readAtMs)) continue;
        const value = await read(new Date(stretch * lengthMs), new Date((stretch + 1) * lengthMs));
        known.set(stretch, { value, readAtMs, tookMs: now() - readAtMs });
      }
    },
    *entries() {
      for (const [stretch, { value }] of known) yield [stretch, value];
    },
  };
}
