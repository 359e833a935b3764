/** The lifetime of a key that signs for interns' daemons. */
export interface DaemonKeyTimes {
  kid: string;
  signsFrom: Date;
  /** Set for a leaked key, which neither signs nor is published. */
  withdrawnAt: Date | null;
}

/** The `max-age` of the published keys, in seconds. */
export const KEYS_CACHED_SECONDS = 300;

/**
 * The time between the publication of a key and its first signature. All verifiers have read it by then, even after one
 * failed attempt.
 */
export const ROTATION_DELAY_MS = 2 * KEYS_CACHED_SECONDS * 1_000;

/** The time that a key stays published after its last signature. */
const STAYS_PUBLISHED_MS = 24 * 3_600_000;

/** The state of a key. `waits`: published, and signs later. `retires`: published, but signs no longer. */
export type DaemonKeyState =
  | { kind: 'waits'; from: Date }
  | { kind: 'signs' }
  | { kind: 'retires'; until: Date }
  | { kind: 'gone' };

/** Returns the keys that were not withdrawn, in the order in which they sign. */
export function usableDaemonKeys<Key extends DaemonKeyTimes>(keys: readonly Key[]): Key[] {
  return keys.filter(({ withdrawnAt }) => withdrawnAt === null).toSorted(bySigning);
}

/**
 * Returns the index of the signing key: the newest one that may sign by now. If this process's clock is behind
 * Postgres's and none may sign yet, it is the first, so that one key always signs.
 */
export function signingPlace(usable: readonly DaemonKeyTimes[], nowMs: number): number {
  return Math.max(
    0,
    usable.findLastIndex(({ signsFrom }) => signsFrom.getTime() <= nowMs),
  );
}

/** Returns the state of each usable key at this time, in their order. */
export function daemonKeyStates(usable: readonly DaemonKeyTimes[], nowMs: number): DaemonKeyState[] {
  const signing = signingPlace(usable, nowMs);
  return usable.map(({ signsFrom }, place) => {
    if (place === signing) return { kind: 'signs' };
    if (place > signing) return { kind: 'waits', from: signsFrom };
    const until = new Date(usable[place + 1]!.signsFrom.getTime() + STAYS_PUBLISHED_MS);
    return until.getTime() > nowMs ? { kind: 'retires', until } : { kind: 'gone' };
  });
}

/** Returns the context that a sealed private key is bound to. */
export function daemonKeyContext(kid: string): string {
  return `daemon_signing_keys:${kid}`;
}

function bySigning(a: DaemonKeyTimes, b: DaemonKeyTimes): number {
  return a.signsFrom.getTime() - b.signsFrom.getTime() || (a.kid < b.kid ? -1 : 1);
}
