/** Reads what keys, workspaces and organizations have spent, and what their open jobs may still cost. */
import { isoDay, type PayerCounters, type Spend } from '../../domain/ledger/spending-limit.ts';
import type { PayerKind } from '../../domain/ceiling.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRowsOf } from '../postgres/statement.ts';

/** One payer in one interval. Keys have numeric ids, the others UUIDs. */
export interface CounterQuery {
  payer: PayerKind;
  id: number | string;
  /** The first day that counts, in days since 1970-01-01; null: all days. */
  sinceDay: number | null;
}

interface CounterRow {
  payer: PayerKind;
  n: string;
  usage: string;
  byok: string;
  open_usage: string;
  open_byok: string;
  credit: string;
  credit_id: string | null;
  credit_at: Date | null;
  credit_used: string | null;
}

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
      const rows = await uncheckedRowsOf<CounterRow>(handle, COUNTERS, [
        keys.map(idOf),
        keys.map((query) => sinceOf(query, 'infinity')),
        workspaces.map(idOf),
        workspaces.map((query) => sinceOf(query, '-infinity')),
        organizations.map(idOf),
      ]);
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
    open: { usage: BigInt(row.open_usage), byok: BigInt(row.open_byok) },
    creditNanos: BigInt(row.credit),
    ...lastCreditOf(row),
  };
}

function lastCreditOf({ credit_id: id, credit_at: addedAt, credit_used: used }: CounterRow) {
  if (id === null || addedAt === null || used === null) return {};
  return { lastCredit: { id, addedAt, usedNanos: BigInt(used) } };
}

/** Returns SQL for the open jobs of the payer in `q`. It uses the partial index on that column. */
const openJobs = (column: string): string => `lateral (
  select sum(price_nanos) filter (where not is_byok) usage, sum(price_nanos) filter (where is_byok) byok
  from video_jobs where ${column} = q.id and status in ('pending', 'in_progress')) o`;

const SUMS = `coalesce(u.usage, 0) usage, coalesce(u.byok, 0) byok,
  coalesce(o.usage, 0) open_usage, coalesce(o.byok, 0) open_byok`;

const COUNTERS = `
  select 'key' payer, q.n, ${SUMS}, 0 credit,
    null::uuid credit_id, null::timestamptz credit_at, null::numeric credit_used
  from unnest(?::bigint[], ?::date[]) with ordinality q (id, since, n),
  lateral (
    select sum(usage_nanos) usage, sum(byok_usage_nanos) byok from (
      select usage_nanos, byok_usage_nanos from key_usage_totals where key_id = q.id and q.since = 'infinity'
      union all
      select usage_nanos, byok_usage_nanos from key_usage where key_id = q.id and settled_on >= q.since
    ) t) u, ${openJobs('key_id')}
  union all
  select 'workspace', q.n, ${SUMS}, 0, null, null, null
  from unnest(?::uuid[], ?::date[]) with ordinality q (id, since, n),
  lateral (
    select sum(usage_nanos) usage, sum(byok_usage_nanos) byok
    from workspace_usage where workspace_id = q.id and settled_on >= q.since) u, ${openJobs('workspace_id')}
  union all
  select 'organization', q.n, ${SUMS},
    (select coalesce(sum(amount_nanos), 0) from credit_entries where organization_id = q.id),
    e.id, e.created_at, e.used_nanos
  from unnest(?::uuid[]) with ordinality q (id, n),
  lateral (
    select sum(usage_nanos) usage, sum(byok_usage_nanos) byok
    from organization_usage_totals where organization_id = q.id) u, ${openJobs('organization_id')}
  left join lateral (
    select id, created_at, used_nanos from credit_entries where organization_id = q.id
    order by created_at desc, id desc limit 1) e on true`;
