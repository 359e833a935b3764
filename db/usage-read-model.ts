import type { Spend, UsageByPeriod } from '../domain/spending-limit.ts';
import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';

export interface KeyUsage extends UsageByPeriod {
  /** What its jobs that have not ended may still cost. */
  open: Spend;
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
  open_usage: string;
  open_byok: string;
}

/**
 * Sums the sharded counters. Periods are UTC; weeks start on Monday. One statement, so that a job which settles
 * meanwhile is either open or spent, never both and never neither.
 */
export function createUsageReadModel(handle: Handle) {
  return {
    async ofKey(keyId: number, now: Date): Promise<KeyUsage> {
      const [row] = await rowsOf<PeriodRow>(handle, KEY_USAGE, [now, keyId, keyId, keyId]);
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
        open: { usage: BigInt(row.open_usage), byok: BigInt(row.open_byok) },
      };
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
  ),
  open_jobs as (
    select coalesce(sum(price_nanos) filter (where not is_byok), 0) open_usage,
           coalesce(sum(price_nanos) filter (where is_byok), 0) open_byok
    from video_jobs where key_id = ? and status in ('pending', 'in_progress')
  )
  select * from recent, total, open_jobs`;
