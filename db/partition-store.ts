import pg from 'pg';

/**
 * The daily partitions of the ledger. On a connection of its own without a limit of time: the sums of a day that
 * goes may take longer than a request may.
 */
export async function withPartitions<T>(
  url: string,
  work: (store: PartitionStore) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'sluice-partitions' });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(createPartitionStore(client));
  } finally {
    await client.end();
  }
}

function createPartitionStore(client: pg.Client) {
  return {
    /** Does not wait for traffic, and traffic does not wait for it. */
    async ensure(day: Date): Promise<void> {
      await client.query('select ensure_ledger_partition($1)', [day]);
    },

    /** Those of days before, the oldest first. */
    async listBefore(day: Date): Promise<string[]> {
      const { rows } = await client.query<{ day: string }>(
        `select to_date(right(c.relname, 8), 'YYYYMMDD')::text "day"
         from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'generations'::regclass
           and to_date(right(c.relname, 8), 'YYYYMMDD') < ($1::timestamptz at time zone 'UTC')::date
         order by 1`,
        [day],
      );
      return rows.map((row) => row.day);
    },

    /**
     * Drops a day with its details and keeps its sums. False when the tables were in use for longer than traffic
     * may wait behind this: try again later.
     */
    async drop(day: string): Promise<boolean> {
      try {
        await client.query('select drop_ledger_partition($1)', [day]);
        return true;
      } catch (error) {
        if (error instanceof pg.DatabaseError && error.code === '55P03') return false;
        throw error;
      }
    },
  };
}

export type PartitionStore = ReturnType<typeof createPartitionStore>;
