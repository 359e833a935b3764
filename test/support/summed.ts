/** Waits until counters and rollups contain what the ledger has. */
import type pg from 'pg';
import { eventually } from './eventually.ts';

/** Resolves once all generations that were committed before this call are in counters and rollups. */
export async function summed(database: Pick<pg.Pool, 'query'>): Promise<void> {
  await eventually('the sums of all generations', async () => {
    const { rowCount } = await database.query('select from unsummed limit 1');
    return rowCount === 0 ? true : undefined;
  });
}
