import type { Handle, Query, QueryResult } from '../../db/postgres/handle.ts';
import { bridged, type KnexHandle } from './knex-bridge.ts';

/** Runs a statement of a watched handle. */
export type Around = (query: Query, run: () => Promise<QueryResult>) => Promise<QueryResult>;

/** The same handle, whose statements all go through `around`, those of its transactions as well. */
export function watched(handle: Handle, around: Around): KnexHandle {
  return bridged({
    query: (query) => around(query, () => handle.query(query)),
    transaction: (work, options) =>
      handle.transaction((transaction) => work(watched(transaction, around)), options),
  });
}

/** The same handle, which passes the text of each statement on. */
export function reporting(handle: Handle, report: (text: string) => void): KnexHandle {
  return watched(handle, (query, run) => {
    report(query.text);
    return run();
  });
}

/** A transaction that stays open until the test ends it. */
export async function openTransaction(pool: Handle) {
  const opened = Promise.withResolvers<Handle>();
  const ended = Promise.withResolvers<void>();
  const done = pool.transaction(async (transaction) => {
    opened.resolve(transaction);
    await ended.promise;
  });
  done.catch(opened.reject);
  return {
    handle: bridged(await opened.promise),
    async commit(): Promise<void> {
      ended.resolve();
      await done;
    },
    async rollback(): Promise<void> {
      ended.reject(new Error('rolled back'));
      await done.catch(() => {});
    },
  };
}
