import type { Handle } from '../postgres/connection.ts';
import { idsOf } from '../postgres/results.ts';
import { run } from '../postgres/statement.ts';

/**
 * Deletes up to `limit` deliveries without a job that ended more than `retentionMs` ago, the oldest first, with their
 * attempts, in one transaction. Returns the number. The retention of a replayed delivery begins at the end of its
 * replay. Deliveries of jobs are deleted with the job (ended-job-store.ts). Repeatable.
 */
export async function deleteEndedDeliveries(
  handle: Handle,
  retentionMs: number,
  limit: number,
): Promise<number> {
  return handle.transaction(async (transaction) => {
    const ids = await idsOf(
      transaction,
      `select id from webhook_deliveries
       where job_id is null and completed_at < now() - :retentionMs * interval '1 millisecond'
       order by completed_at limit :limit for update skip locked`,
      { retentionMs, limit },
    );
    if (ids.length === 0) return 0;
    await run(transaction, 'delete from webhook_attempts where delivery_id = any(:ids)', { ids });
    return run(transaction, 'delete from webhook_deliveries where id = any(:ids)', { ids });
  });
}
