/** A key with which Sluice signs for interns' daemons, as far as its times go. */
export interface DaemonKeyTimes {
  kid: string;
  signsFrom: Date;
  /** Not null: it neither signs nor is published, because it leaked. */
  withdrawnAt: Date | null;
}

/** Verifiers may cache the published keys for so many seconds. */
export const KEYS_CACHED_SECONDS = 300;

/** A new key waits so long before it signs: by then every verifier has read it, also one that was late once. */
export const ROTATION_DELAY_MS = 2 * KEYS_CACHED_SECONDS * 1_000;

/** A key stays published for so long after it stopped signing. */
const STAYS_PUBLISHED_MS = 24 * 3_600_000;

/** `waits`: it is published and signs later. `retires`: it is published and signs no more. */
export type DaemonKeyState =
  { kind: 'waits'; from: Date } | { kind: 'signs' } | { kind: 'retires'; until: Date } | { kind: 'gone' };

/** Returns the keys that were not withdrawn, in the order in which they sign. */
export function usableDaemonKeys<Key extends DaemonKeyTimes>(keys: readonly Key[]): Key[] {
  return keys.filter(({ withdrawnAt }) => withdrawnAt === null).toSorted(bySigning);
}

/**
 * Returns the place of the usable key that signs: the newest whose time has come. Where none has come, by a clock that is
 * behind that of Postgres, it is the next one: where there are keys, one of them always signs.
 */
export function signingPlace(usable: readonly DaemonKeyTimes[], nowMs: number): number {
  return Math.max(
    0,
    usable.findLastIndex(({ signsFrom }) => signsFrom.getTime() <= nowMs),
  );
}

/** Returns what each of the usable keys is for at this time, in their order. */
export function daemonKeyStates(usable: readonly DaemonKeyTimes[], nowMs: number): DaemonKeyState[] {
  const signing = signingPlace(usable, nowMs);
  return usable.map(({ signsFrom }, place) => {
    if (place === signing) return { kind: 'signs' };
    if (place > signing) return { kind: 'waits', from: signsFrom };
    const until = new Date(usable[place + 1]!.signsFrom.getTime() + STAYS_PUBLISHED_MS);
    return until.getTime() > nowMs ? { kind: 'retires', until } : { kind: 'gone' };
  });
}

/** The place of a private key, to which its sealed value is bound. */
export function daemonKeyContext(kid: string): string {
  return `daemon_signing_keys:${kid}`;
}

function bySigning(a: DaemonKeyTimes, b: DaemonKeyTimes): number {
  return a.signsFrom.getTime() - b.signsFrom.getTime() || (a.kid < b.kid ? -1 : 1);
}
