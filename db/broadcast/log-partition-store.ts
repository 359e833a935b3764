import type { Handle } from '../connection.ts';
import { rowsOf } from '../connection.ts';
import { isLockTimeout } from '../outage.ts';

/** An hour of the broadcast log. */
export interface LogHour {
  partition: string;
  endsAt: Date;
}

/** The hourly partitions of the broadcast log. */
export function createLogPartitionStore(handle: Handle) {
  return {
    /** Creates the partitions of this hour and the next ones, also those of prompts and answers. */
    async ensure(hoursAhead: number): Promise<void> {
      await handle.raw('select ensure_broadcast_partitions(?)', [hoursAhead]);
      await handle.raw(
        `select ensure_broadcast_bodies_partition(now() + ahead * interval '1 hour') from generate_series(0, ?::int) ahead`,
        [hoursAhead],
      );
    },

    /** Drops prompts and answers of generations that settled in hours before. An hour in use waits for the next call. */
    async dropBodiesBefore(moment: Date): Promise<void> {
      await handle.raw('select drop_broadcast_bodies_before(?)', [moment]);
    },

    /** Returns the hours that ended before, the oldest first. Names are compared as text, as those of the ledger are. */
    async listEndedBefore(moment: Date): Promise<LogHour[]> {
      const rows = await rowsOf<{ partition: string; hour: string }>(
        handle,
        `select c.relname "partition", right(c.relname, 10) "hour"
         from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'broadcast_log'::regclass
           and c.relname < 'broadcast_log_' || to_char(?::timestamptz at time zone 'UTC', 'YYYYMMDDHH24')
         order by 1`,
        [moment],
      );
      return rows.map(({ partition, hour }) => ({ partition, endsAt: endOf(hour) }));
    },

    /** Whether every destination, disabled ones included, is done with the hour. */
    async isPassed({ partition }: LogHour): Promise<boolean> {
      const rows = await rowsOf(
        handle,
        `select from broadcast_cursors c
         join observability_destinations d on d.id = c.destination_id
         join ?? l on l.workspace_id = d.workspace_id and l.shard = c.shard and l.pos > c.pos
         limit 1`,
        [partition],
      );
      return rows.length === 0;
    },

    /**
     * Drops the hour and moves the cursors that had not passed it behind it. Returns how many generations are given up by
     * that, over all destinations; null when the table was in use: try again later.
     */
    async drop({ partition }: LogHour): Promise<number | null> {
      try {
        const [row] = await rowsOf<{ n: string }>(handle, 'select drop_broadcast_hour(?) n', [partition]);
        return Number(row?.n ?? 0);
      } catch (error) {
        if (isLockTimeout(error)) return null;
        throw error;
      }
    },
  };
}

export type LogPartitionStore = ReturnType<typeof createLogPartitionStore>;

/** `hour` is the beginning of the hour in UTC, as in 2026112217. */
function endOf(hour: string): Date {
  const [, year, month, day, hours] = /^(\d{4})(\d\d)(\d\d)(\d\d)$/.exec(hour) ?? [];
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hours) + 1));
}
