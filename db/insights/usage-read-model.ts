/** Reads the usage of API keys by day, week and month. */
import type { Spend, UsageByPeriod } from '../../domain/ledger/spending-limit.ts';
import type { Handle } from '../postgres/connection.ts';
import { numeric, type RowOf } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

export interface KeyUsage extends UsageByPeriod {
  /** The possible cost of open jobs. */
  open: Spend;
}

const PERIODS = {
  usage: numeric,
  day: numeric,
  week: numeric,
  month: numeric,
  byok: numeric,
  byokDay: numeric,
  byokWeek: numeric,
  byokMonth: numeric,
  openUsage: numeric,
  openByok: numeric,
};

/**
 * Sums the sharded counters. Periods are UTC; weeks start on Monday. One statement reads all, so a job that settles
 * meanwhile counts once, as open or spent.
 */
export function createUsageReadModel(handle: Handle) {
  /** Returns the usage of keys in the order of the ids. */
  const ofKeys = async (keyIds: number[], now: Date): Promise<KeyUsage[]> => {
    const rows = await rowsOf(handle, PERIODS, KEY_USAGE, { now, keyIds });
    if (rows.length !== keyIds.length) throw new Error('aggregates returned no row');
    return rows.map(toUsage);
  };
  return {
    ofKeys,

    async ofKey(keyId: number, now: Date): Promise<KeyUsage> {
      const [usage] = await ofKeys([keyId], now);
      return usage!;
    },

    /** Returns the key's completed requests without a cost on the UTC day of `now`. */
    async freeRequestsToday(organizationId: string, keyId: number, now: Date): Promise<number> {
      const [row] = await rowsOf(handle, { n: numeric }, FREE_REQUESTS, { now, organizationId, keyId });
      return Number(row?.n ?? 0);
    },
  };
}

export type UsageReadModel = ReturnType<typeof createUsageReadModel>;

function toUsage(row: RowOf<typeof PERIODS>): KeyUsage {
  return {
    usage: BigInt(row.usage),
    usageDaily: BigInt(row.day),
    usageWeekly: BigInt(row.week),
    usageMonthly: BigInt(row.month),
    byokUsage: BigInt(row.byok),
    byokUsageDaily: BigInt(row.byokDay),
    byokUsageWeekly: BigInt(row.byokWeek),
    byokUsageMonthly: BigInt(row.byokMonth),
    open: { usage: BigInt(row.openUsage), byok: BigInt(row.openByok) },
  };
}

const KEY_USAGE = `
  with today as (select (:now::timestamptz at time zone 'UTC')::date d),
  -- What the counters do not contain yet.
  tail as materialized (
    select key_id, settled_on, usage_nanos, byok_usage_nanos from unsummed where key_id = any(:keyIds::bigint[]))
  select recent.*, total.*, open_jobs.* from unnest(:keyIds::bigint[]) with ordinality k (id, n), today,
  lateral (
    select coalesce(sum(usage_nanos) filter (where settled_on = d), 0) "day",
           coalesce(sum(usage_nanos) filter (where settled_on >= date_trunc('week', d)), 0) week,
           coalesce(sum(usage_nanos) filter (where settled_on >= date_trunc('month', d)), 0) "month",
           coalesce(sum(byok_usage_nanos) filter (where settled_on = d), 0) "byokDay",
           coalesce(sum(byok_usage_nanos) filter (where settled_on >= date_trunc('week', d)), 0) "byokWeek",
           coalesce(sum(byok_usage_nanos) filter (where settled_on >= date_trunc('month', d)), 0) "byokMonth"
    from (
      select settled_on, usage_nanos, byok_usage_nanos from key_usage where key_id = k.id
      union all
      select settled_on, usage_nanos, byok_usage_nanos from tail where key_id = k.id
    ) u where settled_on >= d - 31 and settled_on <= d
  ) recent,
  lateral (
    select coalesce(sum(usage_nanos), 0) usage, coalesce(sum(byok_usage_nanos), 0) byok from (
      select usage_nanos, byok_usage_nanos from key_usage_totals where key_id = k.id
      union all
      select usage_nanos, byok_usage_nanos from tail where key_id = k.id
    ) u
  ) total,
  lateral (
    select coalesce(sum(price_nanos) filter (where not is_byok), 0) "openUsage",
           coalesce(sum(price_nanos) filter (where is_byok), 0) "openByok"
    from video_jobs where key_id = k.id and status in ('pending', 'in_progress')
  ) open_jobs
  order by n`;

/** Counts free requests. In a group without cost all completed requests were free; failed ones are always free. */
const FREE_REQUESTS = `
  select coalesce(sum(n), 0) n from (
    select sum(completed) n from (
      select model, provider, api_type, usage_nanos, request_count - error_count - cancelled_count completed
      from daily_usage
      where bucket = date_trunc('day', :now::timestamptz, 'UTC')
        and workspace_id in (select id from workspaces where organization_id = :organizationId)
        and key_id = :keyId and not is_byok
      union all
      select model, provider, api_type, usage_nanos, (status = 'completed')::integer from unsummed
      where settled_on = (:now::timestamptz at time zone 'UTC')::date and key_id = :keyId and not is_byok
    ) u
    group by model, provider, api_type having sum(usage_nanos) = 0
  ) g`;
