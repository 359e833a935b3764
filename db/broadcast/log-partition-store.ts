/** Creates the hourly partitions of the broadcast log ahead of time, and drops old ones. */
import type { Handle } from '../postgres/connection.ts';
import { isLockTimeout } from '../postgres/outage.ts';
import { int8, text } from '../postgres/shape.ts';
import { rowsOf, run, tables } from '../postgres/statement.ts';

/** An hour of the broadcast log. */
export interface LogHour {
  partition: string;
  endsAt: Date;
}

/** Stores the hourly partitions of the broadcast log. */
export function createLogPartitionStore(handle: Handle) {
  return {
    /** Creates the partitions of this hour and the next ones, including those of prompts and answers. */
    async ensure(hoursAhead: number): Promise<void> {
      await run(handle, 'select ensure_broadcast_partitions(:hoursAhead)', { hoursAhead });
      await run(
        handle,
        `select ensure_broadcast_bodies_partition(now() + ahead * interval '1 hour')
         from generate_series(0, :hoursAhead::int) ahead`,
        { hoursAhead },
      );
    },

    /**
     * Drops prompts and answers of generations that settled in earlier hours. An hour in use is kept until the next
     * call.
     */
    async dropBodiesBefore(moment: Date): Promise<void> {
      await run(handle, 'select drop_broadcast_bodies_before(:moment)', { moment });
    },

    /**
     * Returns the hours that ended before a moment, the oldest first. Names are compared as text, because Postgres may
     * evaluate the condition on tables whose names do not end in an hour.
     */
    async listEndedBefore(moment: Date): Promise<LogHour[]> {
      const rows = await rowsOf(
        handle,
        { partition: text, hour: text },
        `select c.relname::text "partition", right(c.relname, 10) "hour"
         from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'broadcast_log'::regclass
           and c.relname < 'broadcast_log_' || to_char(:moment::timestamptz at time zone 'UTC', 'YYYYMMDDHH24')
         order by 1`,
        { moment },
      );
      return rows.map(({ partition, hour }) => ({ partition, endsAt: endOf(hour) }));
    },

    /** Returns whether every destination, including disabled ones, has processed the hour. */
    async isPassed({ partition }: LogHour): Promise<boolean> {
      const rows = await rowsOf(
        handle,
        {},
        tables.raw(
          `select from broadcast_cursors c
           join observability_destinations d on d.id = c.destination_id
           join :partition: l on l.workspace_id = d.workspace_id and l.shard = c.shard and l.pos > c.pos
           limit 1`,
          { partition },
        ),
      );
      return rows.length === 0;
    },

    /**
     * Drops the hour and moves all cursors past it. Returns the number of generations that destinations lose by that;
     * null if the table was in use and the caller must try again.
     */
    async drop({ partition }: LogHour): Promise<number | null> {
      try {
        const statement = 'select drop_broadcast_hour(:partition) n';
        const [row] = await rowsOf(handle, { n: int8 }, statement, { partition });
        return Number(row?.n ?? 0);
      } catch (error) {
        if (isLockTimeout(error)) return null;
        throw error;
      }
    },
  };
}

export type LogPartitionStore = ReturnType<typeof createLogPartitionStore>;

/** Returns the end of an hour. `hour` is its beginning in UTC, such as 2026112217. */
function endOf(hour: string): Date {
  const [, year, month, day, hours] = /^(\d{4})(\d\d)(\d\d)(\d\d)$/.exec(hour) ?? [];
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hours) + 1));
}
