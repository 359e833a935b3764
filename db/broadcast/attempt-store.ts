/** Records the result of every batch that was sent to an observability tool, and limits how many records are kept. */
import type { Handle } from '../postgres/connection.ts';
import { columnsOf } from '../postgres/shape.ts';
import { run, tables } from '../postgres/statement.ts';

/** One request to a tool and its outcome. */
export interface BroadcastAttemptRow {
  events: number;
  bytes: number | null;
  status: number | null;
  reason: string | null;
  responseExcerpt: string | null;
  tookMs: number;
}

/** The number of successful attempts that are kept per destination. */
const KEPT_SUCCESSES = 100;

/** Stores delivery attempts of destinations. */
export function createAttemptStore(handle: Handle) {
  return {
    async addSuccess(destinationId: string, attempt: BroadcastAttemptRow): Promise<void> {
      await run(
        handle,
        `with counted as (
           update broadcast_progress set batches = batches + 1 where destination_id = :destinationId returning batches
         )
         insert into broadcast_attempts as a
           (destination_id, slot, outcome, events, bytes, status, response_excerpt, took_ms)
         select :destinationId, batches % ${KEPT_SUCCESSES}, 'delivered', :events, :bytes, :status, :responseExcerpt,
                :tookMs from counted
         on conflict (destination_id, slot) do update set
           at = excluded.at, events = excluded.events, bytes = excluded.bytes, status = excluded.status,
           response_excerpt = excluded.response_excerpt, took_ms = excluded.took_ms`,
        { destinationId, ...attempt },
      );
    },

    async addFailure(destinationId: string, attempt: BroadcastAttemptRow): Promise<void> {
      await run(
        handle,
        tables('broadcast_attempts').insert(columnsOf({ destinationId, outcome: 'failed', ...attempt })),
      );
    },

    /** Deletes failed attempts past their retention. Returns the number. */
    deleteOld: (retentionMs: number, limit: number): Promise<number> =>
      run(
        handle,
        `delete from broadcast_attempts where id in (
           select id from broadcast_attempts
           where slot is null and at < now() - :retentionMs * interval '1 millisecond' order by at limit :limit)`,
        { retentionMs, limit },
      ),
  };
}
