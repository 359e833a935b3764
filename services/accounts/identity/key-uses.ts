/** Records when each API key was last used, without a write for every request. */
import type { KeyUse } from '../../../db/accounts/key-use-store.ts';
import type { Logger } from '../../../platform/logger.ts';

export interface KeyUsesOptions {
  store: { record(uses: KeyUse[]): Promise<void> };
  everyMs: number;
  logger: Pick<Logger, 'warn'>;
  now?: () => number;
}

/** The pause between two writes. */
export const KEY_USE_INTERVAL_MS = 30_000;

/** The number of rows that one statement locks and writes. */
const GROUP_SIZE = 500;

/** The most keys in memory during an outage of Postgres; the uses of further keys are dropped. */
const MAX_KEYS = 200_000;

/**
 * Collects the times at which keys were last used, and writes them in groups. A process that is killed loses the last
 * interval, which affects only the displayed time.
 */
export function createKeyUses({ store, everyMs, logger, now = Date.now }: KeyUsesOptions) {
  let noted = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    const uses = [...noted].map(([keyId, atMs]) => ({ keyId, usedAt: new Date(atMs) }));
    noted = new Map();
    for (let from = 0; from < uses.length; from += GROUP_SIZE) {
      const group = uses.slice(from, from + GROUP_SIZE);
      try {
        await store.record(group);
      } catch (error) {
        logger.warn({ err: error }, 'the last-used times of keys could not be written; they are retried');
        return keep(uses.slice(from));
      }
    }
  };
  const keep = (uses: KeyUse[]): void => {
    for (const { keyId, usedAt } of uses) {
      if (!noted.has(keyId) && noted.size < MAX_KEYS) noted.set(keyId, usedAt.getTime());
    }
    if (noted.size > 0) start();
  };
  /** Writes the recorded uses. Concurrent calls write one after another. */
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  };
  const start = (): void => {
    timer ??= setTimeout(() => void flush(), everyMs).unref();
  };

  return {
    /** Records in memory that the key was used now. */
    note(keyId: number): void {
      if (noted.size >= MAX_KEYS && !noted.has(keyId)) return;
      noted.set(keyId, now());
      if (timer === undefined) start();
    },
    /** Writes the recorded uses. Never rejects: uses that cannot be written are kept for the next time. */
    flush,
    /** Writes the recorded uses for the last time. */
    async close(): Promise<void> {
      await flush();
      clearTimeout(timer);
    },
  };
}
