import { setImmediate } from 'node:timers/promises';
import type { EgressEnd, EgressEntry, EgressLogStore } from '../../../db/interns/egress-log-store.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Logger } from '../../../platform/logger.ts';

/** Records the requests that are sent for interns, many with one statement. */
export interface EgressLog {
  /**
   * Resolves with the entry's id once it is committed. Rejects with 404 for a deleted intern, and with 503 during an
   * outage of Postgres.
   */
  begin(entry: EgressEntry): Promise<string>;
  /** Soon adds to an entry how the request ended. An end that cannot be written is dropped, which the log reports. */
  end(end: EgressEnd): void;
  /** Writes the waiting ends. Never rejects. */
  flush(): Promise<void>;
  /** Writes everything that waits, for the last time. */
  close(): Promise<void>;
}

export interface EgressLogOptions {
  store: Pick<EgressLogStore, 'insert' | 'complete'>;
  logger: Pick<Logger, 'warn'>;
}

/** The most entries that one statement writes. */
const GROUP_SIZE = 500;

/** The most ends that wait during an outage of Postgres; further ones are dropped. */
const MAX_WAITING_ENDS = 100_000;

/** The time for which the end of a request waits for others. */
const GROUP_MS = 100;
const RETRY_MS = 1_000;

interface WaitingEntry {
  entry: EgressEntry;
  resolve(id: string): void;
  reject(error: unknown): void;
}

export function createEgressLog({ store, logger }: EgressLogOptions): EgressLog {
  const entries: WaitingEntry[] = [];
  const ends: EgressEnd[] = [];
  let inserting: Promise<void> | undefined;
  let completing: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isFull = false;

  /**
   * Writes one group after the other. Each waits for the end of the event loop's turn, so that concurrent requests
   * share a statement.
   */
  async function insertAll(): Promise<void> {
    do {
      await setImmediate();
      await insertGroup(entries.splice(0, GROUP_SIZE));
    } while (entries.length > 0);
    inserting = undefined;
  }

  async function insertGroup(group: WaitingEntry[]): Promise<void> {
    try {
      const ids = await store.insert(group.map(({ entry }) => entry));
      for (const [n, { resolve, reject }] of group.entries()) {
        const id = ids[n] ?? null;
        if (id === null) reject(new AppError('not_found'));
        else resolve(id);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  async function completeAll(): Promise<void> {
    try {
      for (let left = ends.length; left > 0; left -= GROUP_SIZE) {
        const group = ends.slice(0, Math.min(left, GROUP_SIZE));
        await store.complete(group);
        ends.splice(0, group.length);
      }
    } catch (error) {
      logger.warn({ err: error, waiting: ends.length }, 'how requests of interns ended is not recorded yet');
      completeIn(RETRY_MS);
    }
  }

  /** Writes the ends that wait at its start, so that a run also ends under load. Later ends wait for the next run. */
  function flush(): Promise<void> {
    if (completing === undefined) {
      completing = completeAll().finally(() => (completing = undefined));
      return completing;
    }
    next ??= completing.then(() => {
      next = undefined;
      return flush();
    });
    return next;
  }

  function completeIn(ms: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void flush();
    }, ms).unref();
  }

  return {
    begin(entry) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      entries.push({ entry, resolve, reject });
      inserting ??= insertAll();
      return promise;
    },
    end(end) {
      if (ends.length >= MAX_WAITING_ENDS) {
        if (!isFull)
          logger.warn({ waiting: ends.length }, 'how further requests of interns end is not recorded');
        isFull = true;
        return;
      }
      isFull = false;
      ends.push(end);
      completeIn(GROUP_MS);
    },
    flush,
    async close() {
      await inserting;
      await flush();
      clearTimeout(timer);
    },
  };
}
