/** Records the requests of interns in batches: each request before it is sent, and its outcome afterwards. */
import { setImmediate } from 'node:timers/promises';
import type { EgressEnd, EgressEntry, EgressLogStore } from '../../../db/interns/egress-log-store.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Logger } from '../../../platform/logger.ts';

export interface EgressLogOptions {
  store: Pick<EgressLogStore, 'insert' | 'complete'>;
  logger: Pick<Logger, 'warn'>;
}

/** The most entries that one statement writes. */
const GROUP_SIZE = 500;

/** The most ends that wait during an outage of Postgres; further ones are dropped. */
const MAX_WAITING_ENDS = 100_000;

/** The time for which the end of a request waits, so that several share a statement. */
const GROUP_MS = 100;
const RETRY_MS = 1_000;

interface WaitingEntry {
  entry: EgressEntry;
  resolve(id: string): void;
  reject(error: unknown): void;
}

interface OpenLog extends EgressLogOptions {
  entries: WaitingEntry[];
  ends: EgressEnd[];
  inserting?: Promise<void> | undefined;
  completing?: Promise<void> | undefined;
  next?: Promise<void> | undefined;
  timer?: NodeJS.Timeout | undefined;
}

/** Records the requests that are sent for interns, many with one statement. */
export function createEgressLog({ store, logger }: EgressLogOptions) {
  const log: OpenLog = { store, logger, entries: [], ends: [] };
  let isFull = false;

  return {
    /**
     * Resolves with the entry's id once it is committed. Rejects with 404 for a deleted intern, and with 503 during an
     * outage of Postgres.
     */
    begin(entry: EgressEntry): Promise<string> {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      log.entries.push({ entry, resolve, reject });
      log.inserting ??= insertAll(log);
      return promise;
    },
    /**
     * Records how a request ended, within about 100 ms. During a long outage of Postgres, further ends are dropped with
     * a warning.
     */
    end(end: EgressEnd): void {
      if (log.ends.length >= MAX_WAITING_ENDS) {
        if (!isFull)
          logger.warn(
            { waiting: log.ends.length },
            'the outcomes of further intern requests are not recorded',
          );
        isFull = true;
        return;
      }
      isFull = false;
      log.ends.push(end);
      completeIn(log, GROUP_MS);
    },
    /** Writes the waiting ends. Never rejects. */
    flush: (): Promise<void> => flush(log),
    /** Writes all waiting entries and ends, for the last time. */
    async close(): Promise<void> {
      await log.inserting;
      await flush(log);
      clearTimeout(log.timer);
    },
  };
}

export type EgressLog = ReturnType<typeof createEgressLog>;

/**
 * Writes one group after the other. Each group waits for the end of the event loop's turn, so that simultaneous
 * requests share a statement.
 */
async function insertAll(log: OpenLog): Promise<void> {
  do {
    await setImmediate();
    await insertGroup(log, log.entries.splice(0, GROUP_SIZE));
  } while (log.entries.length > 0);
  log.inserting = undefined;
}

async function insertGroup(log: OpenLog, group: WaitingEntry[]): Promise<void> {
  try {
    const ids = await log.store.insert(group.map(({ entry }) => entry));
    for (const [n, { resolve, reject }] of group.entries()) {
      const id = ids[n] ?? null;
      if (id === null) reject(new AppError('not_found'));
      else resolve(id);
    }
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

async function completeAll(log: OpenLog): Promise<void> {
  try {
    for (let left = log.ends.length; left > 0; left -= GROUP_SIZE) {
      const group = log.ends.slice(0, Math.min(left, GROUP_SIZE));
      await log.store.complete(group);
      log.ends.splice(0, group.length);
    }
  } catch (error) {
    log.logger.warn(
      { err: error, waiting: log.ends.length },
      'the outcomes of intern requests could not be recorded; they are retried',
    );
    completeIn(log, RETRY_MS);
  }
}

/**
 * Writes the waiting ends. A run writes only the ends that wait at its start, so that it ends under load too; the next
 * run writes the others.
 */
function flush(log: OpenLog): Promise<void> {
  if (log.completing === undefined) {
    log.completing = completeAll(log).finally(() => (log.completing = undefined));
    return log.completing;
  }
  log.next ??= log.completing.then(() => {
    log.next = undefined;
    return flush(log);
  });
  return log.next;
}

function completeIn(log: OpenLog, ms: number): void {
  log.timer ??= setTimeout(() => {
    log.timer = undefined;
    void flush(log);
  }, ms).unref();
}
