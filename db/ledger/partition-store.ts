/** Creates daily partitions of the ledger ahead of time, indexes past ones, and drops those past the retention. */
import type { Handle } from '../postgres/connection.ts';
import { withLongStatements } from '../postgres/long-statements.ts';
import { isLockTimeout } from '../postgres/outage.ts';
import { onlyColumn } from '../postgres/results.ts';
import { text } from '../postgres/shape.ts';
import { run } from '../postgres/statement.ts';

/** The number of tags that one statement deletes, and locks until it ends. */
const FORGET_PAGE = 10_000;

/**
 * The longest time of one statement. Before a day of many millions is dropped, adding it up takes minutes; the activity
 * may take half an hour.
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
    /** Creates the partition of a day. It does not wait for traffic, and traffic does not wait for it. */
    async ensure(day: Date): Promise<void> {
      await run(handle, 'select ensure_ledger_partition(:day)', { day });
    },

    /** Returns the days before this one that have a partition, the oldest first. */
    listBefore: (day: Date): Promise<string[]> => listBefore(handle, day),

    /**
     * Drops a day with its details and keeps its sums. Returns false if its rankings are not closed or its tables
     * stayed in use; call it again later. No attempt makes traffic wait for long.
     */
    async drop(day: string): Promise<boolean> {
      try {
        await run(handle, 'select drop_ledger_partition(:day)', { day });
        return true;
      } catch (error) {
        if (isLockTimeout(error)) return false;
        throw error;
      }
    },

    /**
     * Builds the indexes with which lists are read (db/insights/generation-list-read-model.ts) for the days before this
     * one that lack them. Returns these days. Writers do not wait. A build waits for transactions that began before it,
     * but not for long ones, such as a backup: then it ends, and the next call builds again what is not whole.
     */
    async indexBefore(day: Date): Promise<string[]> {
      const indexed = new Set(await onlyColumn(handle, { name: text }, LIST_INDEXES));
      const days: string[] = [];
      await run(handle, `set lock_timeout = '${LONGEST_WAIT}'`);
      try {
        for (const past of await listBefore(handle, day)) {
          const partition = `generations_${past.replaceAll('-', '')}`;
          const missing = Object.entries(LISTED_BY).filter(([name]) => !indexed.has(`${partition}_${name}`));
          for (const [name, columns] of missing) {
            await run(handle, `drop index concurrently if exists ${partition}_${name}`);
            await run(handle, `create index concurrently ${partition}_${name} on ${partition} (${columns})`);
          }
          if (missing.length > 0) days.push(past);
        }
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
      } finally {
        await run(handle, 'reset lock_timeout');
      }
      return days;
    },

    /** Deletes the tags of generations before this day, whose rows are gone, page by page. */
    async forgetTags(day: Date): Promise<void> {
      let deleted: number;
      do {
        deleted = await run(handle, FORGET_TAGS, { day, page: FORGET_PAGE });
      } while (deleted === FORGET_PAGE);
    },
  };
}

/**
 * The columns of the indexes of lists, by the ends of the indexes' names. In the first, Postgres skips other workspaces
 * and keys without reading their rows. Today's partition has neither: keeping them with each row would cost the ledger
 * a tenth of its speed. It has a summary of its models in place of the second.
 */
const LISTED_BY = {
  newest: 'organization_id, created_at, workspace_id, key_id',
  of_model: 'organization_id, model, created_at',
};

/** The longest wait of a build for another transaction. */
const LONGEST_WAIT = '2s';

const LIST_INDEXES = `
  select x.relname::text name
  from pg_inherits i join pg_index n on n.indrelid = i.inhrelid join pg_class x on x.oid = n.indexrelid
  where i.inhparent = 'generations'::regclass and n.indisvalid`;

/** Compares names as text, because Postgres may evaluate the condition on all tables, and most do not end in a date. */
function listBefore(handle: Handle, day: Date): Promise<string[]> {
  return onlyColumn(
    handle,
    { day: text },
    `select to_date(right(c.relname, 8), 'YYYYMMDD')::text "day"
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'generations'::regclass
       and c.relname < 'generations_' || to_char(:day::timestamptz at time zone 'UTC', 'YYYYMMDD')
     order by 1`,
    { day },
  );
}

export type PartitionStore = ReturnType<typeof createPartitionStore>;

/**
 * Deletes one page of tags. The key begins with the classifier, so the statement goes through all classifiers. Tags
 * never change, so `ctid` stays valid.
 */
const FORGET_TAGS = `
  delete from classifier_tags where ctid = any(array(
    select t.ctid from classifiers c cross join lateral (
      select ctid from classifier_tags
      where classifier_id = c.id and created_at < date_trunc('day', :day::timestamptz, 'UTC')
      limit :page) t
    limit :page))`;
