import pg from 'pg';
import { eventually } from './eventually.ts';
import type { Gateway } from './gateway.ts';

/** Locks held on purpose: whoever of the product comes to such a place waits there. */
export interface Obstacle {
  /** Nobody writes to the table. */
  table(name: string): Promise<void>;
  /** Nobody writes to the job's row. */
  job(jobId: string): Promise<void>;
  /** Resolves once a statement with these words in its first kilobyte, which is all Postgres shows, waits here. */
  met(words: string): Promise<void>;
  lift(): Promise<void>;
}

export async function raiseObstacle(gateway: Gateway, databaseUrl: string): Promise<Obstacle> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // A test that fails early drops its database under this.
  client.on('error', () => {});
  await client.connect();
  // Who waits here may hold what is locked next: not this side, but the product's timeouts shall give way.
  await client.query(`set deadlock_timeout = '1min'`);
  await client.query('begin');
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() pid');
  return {
    async table(name) {
      await client.query(`lock table ${client.escapeIdentifier(name)} in share mode`);
    },
    async job(jobId) {
      await client.query('select from video_jobs where id = $1 for update', [jobId]);
    },
    async met(words) {
      await eventually(`a statement with ${words} meeting the obstacle`, async () => {
        const { rowCount } = await gateway.database.query(
          `select from pg_stat_activity where $1 = any(pg_blocking_pids(pid)) and query ilike '%' || $2 || '%'`,
          [rows[0]!.pid, words],
        );
        return rowCount === 0 ? undefined : true;
      });
    },
    lift: () => client.end(),
  };
}
