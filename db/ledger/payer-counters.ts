/** Reads what keys, workspaces and organizations have spent, and what their open jobs may still cost. */
import { isoDay, type PayerCounters, type Spend } from '../../domain/ledger/spending-limit.ts';
import { PAYER_KINDS, type PayerKind } from '../../domain/ceiling.ts';
import type { Handle } from '../postgres/connection.ts';
import { int8, numeric, oneOf, type RowOf, timestamptz, uuid } from '../postgres/shape.ts';
import { rowsOf } from '../postgres/statement.ts';

/** One payer in one interval. Keys have numeric ids, the others UUIDs. */
export interface CounterQuery {
  payer: PayerKind;
  id: number | string;
  /** The first day that counts, in days since 1970-01-01; null: all days. */
  sinceDay: number | null;
}

const COUNTER = {
  payer: oneOf(PAYER_KINDS),
  /** The position among the payers of this kind. */
  n: int8,
  usage: numeric,
  byok: numeric,
  openUsage: numeric,
  openByok: numeric,
  credit: numeric,
  creditId: uuid.orNull,
  creditAt: timestamptz.orNull,
  creditUsed: numeric.orNull,
};
type CounterRow = RowOf<typeof COUNTER>;

const NOTHING: Spend = { usage: 0n, byok: 0n };

/** Reads the counters that limits are checked against (ADR 0013). */
export function createPayerCounters(handle: Handle) {
  return {
    /**
     * Returns the counters in the order of `queries`. One statement reads all, so a job that settles meanwhile counts
     * once, as open or spent. Use the primary only: a replica may lack commits that this process relies on.
     */
    async read(queries: CounterQuery[]): Promise<PayerCounters[]> {
      const of = (payer: PayerKind): CounterQuery[] => queries.filter((query) => query.payer === payer);
      const [keys, workspaces, organizations] = [of('key'), of('workspace'), of('organization')];
      const rows = await rowsOf(handle, COUNTER, COUNTERS, {
        keys: keys.map(idOf),
        keyDays: keys.map((query) => sinceOf(query, 'infinity')),
        workspaces: workspaces.map(idOf),
        workspaceDays: workspaces.map((query) => sinceOf(query, '-infinity')),
        organizations: organizations.map(idOf),
      });
      const answers = new Map<CounterQuery, PayerCounters>();
      const byPayer = { key: keys, workspace: workspaces, organization: organizations };
      for (const row of rows) {
        const query = byPayer[row.payer][Number(row.n) - 1];
        if (query !== undefined) answers.set(query, toCounters(row));
      }
      return queries.map((query) => answers.get(query) ?? { spent: NOTHING, open: NOTHING, creditNanos: 0n });
    },
  };
}

const idOf = ({ id }: CounterQuery): string => `${id}`;

/**
 * Returns the first day that counts. For a lifetime it returns `lifetime`: with `infinity`, no day of a key counts and
 * its totals are used; with `-infinity`, all days of a workspace count.
 */
function sinceOf({ sinceDay }: CounterQuery, lifetime: 'infinity' | '-infinity'): string {
  return sinceDay === null ? lifetime : isoDay(sinceDay);
}

function toCounters(row: CounterRow): PayerCounters {
  return {
    spent: { usage: BigInt(row.usage), byok: BigInt(row.byok) },
    open: { usage: BigInt(row.openUsage), byok: BigInt(row.openByok) },
    creditNanos: BigInt(row.credit),
    ...lastCreditOf(row),
  };
}

function lastCreditOf({ creditId: id, creditAt: addedAt, creditUsed: used }: CounterRow) {
  if (id === null || addedAt === null || used === null) return {};
  return { lastCredit: { id, addedAt, usedNanos: BigInt(used) } };
}

/** Returns SQL for the open jobs of the payer in `q`. It uses the partial index on that column. */
const openJobs = (column: string): string => `lateral (
  select sum(price_nanos) filter (where not is_byok) usage, sum(price_nanos) filter (where is_byok) byok
  from video_jobs where ${column} = q.id and status in ('pending', 'in_progress')) o`;

const SUMS = `coalesce(u.usage, 0) usage, coalesce(u.byok, 0) byok,
  coalesce(o.usage, 0) "openUsage", coalesce(o.byok, 0) "openByok"`;

/** Spending that the counters do not contain yet. It counts at once, so limits and balances never miss it. */
const UNSUMMED = `
  with unsummed_spending as materialized (
    select key_id, workspace_id, organization_id, settled_on,
      sum(usage_nanos) usage_nanos, sum(byok_usage_nanos) byok_usage_nanos
    from unsummed group by key_id, workspace_id, organization_id, settled_on)`;

const COUNTERS = `
  ${UNSUMMED}
  select 'key' payer, q.n, ${SUMS}, 0 credit,
    null::uuid "creditId", null::timestamptz "creditAt", null::numeric "creditUsed"
  from unnest(:keys::bigint[], :keyDays::date[]) with ordinality q (id, since, n),
  lateral (
    select sum(usage_nanos) usage, sum(byok_usage_nanos) byok from (
      select usage_nanos, byok_usage_nanos from key_usage_totals where key_id = q.id and q.since = 'infinity'
      union all
      select usage_nanos, byok_usage_nanos from key_usage where key_id = q.id and settled_on >= q.since
      union all
      select usage_nanos, byok_usage_nanos from unsummed_spending
      where key_id = q.id and (q.since = 'infinity' or settled_on >= q.since)
    ) t) u, ${openJobs('key_id')}
  union all
  select 'workspace', q.n, ${SUMS}, 0, null, null, null
  from unnest(:workspaces::uuid[], :workspaceDays::date[]) with ordinality q (id, since, n),
  lateral (
    select sum(usage_nanos) usage, sum(byok_usage_nanos) byok from (
      select usage_nanos, byok_usage_nanos from workspace_usage where workspace_id = q.id and settled_on >= q.since
      union all
      select usage_nanos, byok_usage_nanos from unsummed_spending
      where workspace_id = q.id and settled_on >= q.since
    ) t) u, ${openJobs('workspace_id')}
  union all
  select 'organization', q.n, ${SUMS},
    (select coalesce(sum(amount_nanos), 0) from credit_entries where organization_id = q.id),
    e.id, e.created_at, e.used_nanos
  from unnest(:organizations::uuid[]) with ordinality q (id, n),
  lateral (
    select sum(usage_nanos) usage, sum(byok_usage_nanos) byok from (
      select usage_nanos, byok_usage_nanos from organization_usage_totals where organization_id = q.id
      union all
      select usage_nanos, byok_usage_nanos from unsummed_spending where organization_id = q.id
    ) t) u, ${openJobs('organization_id')}
  left join lateral (
    select id, created_at, used_nanos from credit_entries where organization_id = q.id
    order by created_at desc, id desc limit 1) e on true`;
