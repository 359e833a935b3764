import type { KeyUse } from '../../../db/accounts/key-use-store.ts';
import type { Logger } from '../../../platform/logger.ts';

export interface KeyUses {
  /** The key was used now. Costs an entry in memory, and no write. */
  note(keyId: number): void;
  /** Writes what was noted. Never rejects: what cannot be written is kept for the next time. */
  flush(): Promise<void>;
  /** Writes what was noted, for the last time. */
  close(): Promise<void>;
}

export interface KeyUsesOptions {
  store: { record(uses: KeyUse[]): Promise<void> };
  everyMs: number;
  logger: Pick<Logger, 'warn'>;
  now?: () => number;
}

/** The pause between two writes. */
export const KEY_USE_INTERVAL_MS = 30_000;

/** So many rows are locked at a time. */
const GROUP_SIZE = 500;

/** While Postgres is away; the uses of further keys are forgotten then. */
const MAX_KEYS = 200_000;

/**
 * When the keys of this process were last used, gathered in memory and written in groups. A process that is killed
 * loses the last interval, which nothing but the shown time depends on.
 */
export function createKeyUses({ store, everyMs, logger, now = Date.now }: KeyUsesOptions): KeyUses {
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
        logger.warn({ err: error }, 'when keys were last used is not written yet');
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
  /** One group at a time, whoever asks. */
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
    note(keyId) {
      if (noted.size >= MAX_KEYS && !noted.has(keyId)) return;
      noted.set(keyId, now());
      if (timer === undefined) start();
    },
    flush,
    async close() {
      await flush();
      clearTimeout(timer);
    },
  };
}
