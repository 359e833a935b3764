import type { Nanos } from '../domain/money.ts';
import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';

export interface PeriodUsage {
  usage: Nanos;
  usageDaily: Nanos;
  usageWeekly: Nanos;
  usageMonthly: Nanos;
  byokUsage: Nanos;
  byokUsageDaily: Nanos;
  byokUsageWeekly: Nanos;
  byokUsageMonthly: Nanos;
}

interface PeriodRow {
  usage: string;
  day: string;
  week: string;
  month: string;
  byok: string;
  byok_day: string;
  byok_week: string;
  byok_month: string;
}

/** Sums the sharded counters. Periods are UTC; weeks start on Monday. */
export function createUsageReadModel(handle: Handle) {
  return {
    async ofKey(keyId: number, now: Date): Promise<PeriodUsage> {
      const [row] = await rowsOf<PeriodRow>(handle, KEY_USAGE, [now, keyId, keyId]);
      if (row === undefined) throw new Error('aggregate returned no row');
      return {
        usage: BigInt(row.usage),
        usageDaily: BigInt(row.day),
        usageWeekly: BigInt(row.week),
        usageMonthly: BigInt(row.month),
        byokUsage: BigInt(row.byok),
        byokUsageDaily: BigInt(row.byok_day),
        byokUsageWeekly: BigInt(row.byok_week),
        byokUsageMonthly: BigInt(row.byok_month),
      };
    },

    /** Prices of the key's jobs that have not ended: what a limit must still leave room for. */
    async reservedByKey(keyId: number): Promise<Nanos> {
      const [row] = await rowsOf<{ sum: string }>(
        handle,
        `select coalesce(sum(price_nanos), 0) sum from video_jobs
         where key_id = ? and status in ('pending', 'in_progress')`,
        [keyId],
      );
      return BigInt(row?.sum ?? 0);
    },

    /** Credits bought less what is used and what open jobs may still use. */
    async remainingCredit(organizationId: string): Promise<Nanos> {
      const [row] = await rowsOf<{ remaining: string }>(
        handle,
        `select (select coalesce(sum(amount_nanos), 0) from credit_entries where organization_id = o.id)
              - (select coalesce(sum(usage_nanos), 0) from organization_usage_totals where organization_id = o.id)
              - (select coalesce(sum(price_nanos), 0) from video_jobs
                 where organization_id = o.id and status in ('pending', 'in_progress')) remaining
         from organizations o where o.id = ?`,
        [organizationId],
      );
      return BigInt(row?.remaining ?? 0);
    },
  };
}

export type UsageReadModel = ReturnType<typeof createUsageReadModel>;

const KEY_USAGE = `
  with today as (select (?::timestamptz at time zone 'UTC')::date d),
  recent as (
    select coalesce(sum(usage_nanos) filter (where settled_on = d), 0) "day",
           coalesce(sum(usage_nanos) filter (where settled_on >= date_trunc('week', d)), 0) week,
           coalesce(sum(usage_nanos) filter (where settled_on >= date_trunc('month', d)), 0) "month",
           coalesce(sum(byok_usage_nanos) filter (where settled_on = d), 0) byok_day,
           coalesce(sum(byok_usage_nanos) filter (where settled_on >= date_trunc('week', d)), 0) byok_week,
           coalesce(sum(byok_usage_nanos) filter (where settled_on >= date_trunc('month', d)), 0) byok_month
    from key_usage, today where key_id = ? and settled_on >= d - 31 and settled_on <= d
  ),
  total as (
    select coalesce(sum(usage_nanos), 0) usage, coalesce(sum(byok_usage_nanos), 0) byok
    from key_usage_totals where key_id = ?
  )
  select * from recent, total`;
