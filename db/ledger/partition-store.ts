import { type Handle, rowsOf } from '../connection.ts';
import { withLongStatements } from '../long-statements.ts';
import { isLockTimeout } from '../outage.ts';

/** The most tags that one statement deletes, since it holds their locks until it ends. */
const FORGET_PAGE = 10_000;

/**
 * The timeout of a statement. Adding up a day of many millions takes minutes; the activity's timeout is half an hour.
 */
const STATEMENT_MS = 20 * 60_000;

/** Runs work on a store of the ledger's daily partitions. */
export function withPartitions<T>(url: string, work: (store: PartitionStore) => Promise<T>): Promise<T> {
  return withLongStatements(
    { url, applicationName: 'sluice-partitions', statementMs: STATEMENT_MS },
    (knex) => work(createPartitionStore(knex)),
  );
}

function createPartitionStore(handle: Handle) {
  return {
    /** Creates the partition of a day. It neither waits for traffic nor blocks it. */
    async ensure(day: Date): Promise<void> {
      await handle.raw('select ensure_ledger_partition(?)', [day]);
    },

    /**
     * Returns the partitions of earlier days, the oldest first. Names are compared as text: Postgres may evaluate the
     * condition on all tables, and most names do not end in a date.
     */
    async listBefore(day: Date): Promise<string[]> {
      const rows = await rowsOf<{ day: string }>(
        handle,
        `select to_date(right(c.relname, 8), 'YYYYMMDD')::text "day"
         from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'generations'::regclass
           and c.relname < 'generations_' || to_char(?::timestamptz at time zone 'UTC', 'YYYYMMDD')
         order by 1`,
        [day],
      );
      return rows.map((row) => row.day);
    },

    /**
     * Drops a day with its details and keeps its sums. Returns false if the tables were in use at each of several short
     * attempts, or if rankings of the day are not closed. Try again later then.
     */
    async drop(day: string): Promise<boolean> {
      try {
        await handle.raw('select drop_ledger_partition(?)', [day]);
        return true;
      } catch (error) {
        if (isLockTimeout(error)) return false;
        throw error;
      }
    },

    /** Deletes the tags of generations of earlier days, whose rows are gone. Each page is committed separately. */
    async forgetTags(day: Date): Promise<void> {
      let deleted: number;
      do {
        const bindings = { day, page: FORGET_PAGE };
        deleted = (await handle.raw<{ rowCount: number }>(FORGET_TAGS, bindings)).rowCount;
      } while (deleted === FORGET_PAGE);
    },
  };
}

export type PartitionStore = ReturnType<typeof createPartitionStore>;

/** Deletes tags classifier by classifier, with which the key begins. Tags never change, so none moves meanwhile. */
const FORGET_TAGS = `
  delete from classifier_tags where ctid = any(array(
    select t.ctid from classifiers c cross join lateral (
      select ctid from classifier_tags
      where classifier_id = c.id and created_at < date_trunc('day', :day::timestamptz, 'UTC')
      limit :page) t
    limit :page))`;
