import { type Handle, rowsOf } from '../connection.ts';
import { withLongStatements } from '../long-statements.ts';
import { isLockTimeout } from '../outage.ts';

/** Tags that are deleted by one statement, which holds their locks until it ends. */
const FORGET_PAGE = 10_000;

/** Adding up a day of many millions before it goes takes minutes; the activity that waits for it has half an hour. */
const STATEMENT_MS = 20 * 60_000;

/** Runs work on the daily partitions of the ledger. */
export function withPartitions<T>(url: string, work: (store: PartitionStore) => Promise<T>): Promise<T> {
  return withLongStatements(
    { url, applicationName: 'sluice-partitions', statementMs: STATEMENT_MS },
    (knex) => work(createPartitionStore(knex)),
  );
}

function createPartitionStore(handle: Handle) {
  return {
    /** Does not wait for traffic, and traffic does not wait for it. */
    async ensure(day: Date): Promise<void> {
      await handle.raw('select ensure_ledger_partition(?)', [day]);
    },

    /**
     * Those of days before, the oldest first. Names are compared as text: Postgres may judge the rows of all tables before
     * it looks which are partitions, and most names do not end in a date.
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
     * Drops a day with its details and keeps its sums. False when the tables were in use at each of several tries,
     * none of which keeps traffic waiting for long, or when rankings of its generations are not closed: try again
     * later.
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

    /** Deletes the tags of generations of days before: their rows are gone. Page by page, so that each stays done. */
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

/** Classifier by classifier: the key begins with them. Tags never change, so none moves before it is deleted. */
const FORGET_TAGS = `
  delete from classifier_tags where ctid = any(array(
    select t.ctid from classifiers c cross join lateral (
      select ctid from classifier_tags
      where classifier_id = c.id and created_at < date_trunc('day', :day::timestamptz, 'UTC')
      limit :page) t
    limit :page))`;
