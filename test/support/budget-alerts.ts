import type { LimitInterval } from '../../domain/ceiling.ts';
import { isoDay, utcDay } from '../../domain/ledger/spending-limit.ts';
import { newUuid } from '../../domain/ids.ts';
import { usdToNanos } from '../../domain/money.ts';
import { type BudgetAlertDeps } from '../../services/ledger/budget-alerts/check-limits.ts';
import { scanLimits } from '../../services/ledger/budget-alerts/scan-limits.ts';
import { addKey, addOrganization, type IssuedKey, type Place } from './accounts.ts';
import type { Gateway } from './gateway.ts';

/** A Wednesday in the middle of a month, long after all that the tests set up. */
export const NOW_MS = Date.parse('2031-03-12T12:00:00Z');
export const DAY_MS = 86_400_000;

/** An organization with its default workspace and one key, and nobody else's spending. */
export type Customer = Place & IssuedKey;

export interface CustomerFacts {
  limitUsd?: number;
  limitReset?: 'daily' | 'weekly' | 'monthly';
  includeByokInLimit?: boolean;
  creditEnforcement?: boolean;
  /** Where its events go; null: nowhere. */
  url?: string | null;
}

export async function addCustomer(gateway: Gateway, facts: CustomerFacts = {}): Promise<Customer> {
  const { limitUsd, creditEnforcement = false, url = 'http://127.0.0.1:9/hook', ...rest } = facts;
  const place = await addOrganization(gateway, { creditEnforcement });
  await setUrl(gateway, place, url);
  const limit = limitUsd === undefined ? {} : { limitNanos: usdToNanos(limitUsd) };
  return { ...place, ...(await addKey(gateway, { ...place, ...limit, ...rest })) };
}

export async function setUrl(
  { database }: Gateway,
  { workspaceId }: Place,
  url: string | null,
): Promise<void> {
  await database.query('update workspaces set default_callback_url = $2 where id = $1', [workspaceId, url]);
}

export async function setThresholds(
  { database }: Gateway,
  { workspaceId }: Place,
  thresholds: number[],
): Promise<void> {
  await database.query('update workspaces set budget_alert_thresholds = $2 where id = $1', [
    workspaceId,
    thresholds,
  ]);
}

export async function setBudget(
  { database }: Gateway,
  { workspaceId }: Place,
  interval: LimitInterval,
  usd: number,
): Promise<void> {
  await database.query(
    `insert into workspace_budgets (id, workspace_id, interval, limit_nanos) values ($1, $2, $3, $4)
     on conflict (workspace_id, interval) do update set limit_nanos = excluded.limit_nanos`,
    [newUuid(), workspaceId, interval, usdToNanos(usd).toString()],
  );
}

export async function setKeyLimit({ database }: Gateway, { keyId }: Customer, usd: number): Promise<void> {
  await database.query('update api_keys set limit_nanos = $2 where id = $1', [
    keyId,
    usdToNanos(usd).toString(),
  ]);
}

/** Adds to all counters of the customer what the ledger would when a generation of that cost settles. */
export async function spend(
  { database }: Gateway,
  { keyId, workspaceId, organizationId }: Customer,
  usd: number,
  { atMs = NOW_MS, isByok = false } = {},
): Promise<void> {
  const nanos = usdToNanos(usd).toString();
  const [usage, byok] = isByok ? ['0', nanos] : [nanos, '0'];
  const day = isoDay(utcDay(atMs));
  const counters: [table: string, owner: string, id: string | number, isDaily: boolean][] = [
    ['organization_usage_totals', 'organization_id', organizationId, false],
    ['workspace_usage', 'workspace_id', workspaceId, true],
    ['key_usage_totals', 'key_id', keyId, false],
    ['key_usage', 'key_id', keyId, true],
  ];
  for (const [table, owner, id, isDaily] of counters) {
    const [column, value] = isDaily ? [', settled_on', ', $4::date'] : ['', ''];
    await database.query(
      `insert into ${table} as t (${owner}, shard, usage_nanos, byok_usage_nanos, request_count${column})
       values ($1, 15, $2, $3, 1${value}) on conflict (${owner}, shard${column}) do update set
         usage_nanos = t.usage_nanos + excluded.usage_nanos,
         byok_usage_nanos = t.byok_usage_nanos + excluded.byok_usage_nanos`,
      isDaily ? [id, usage, byok, day] : [id, usage, byok],
    );
  }
}

/** Looks at all limits, as if the last look were long ago. Returns how many alerts it wrote. */
export async function scanNow({ database }: Gateway, deps: BudgetAlertDeps, atMs = NOW_MS): Promise<number> {
  await database.query(`update budget_alert_scan set began_at = '-infinity', payer = null, after_id = null`);
  return scanLimits({ ...deps, now: () => atMs }, { limitMs: 60_000 });
}

export interface WrittenAlert {
  eventId: string;
  workspaceId: string;
  payer: string;
  threshold: number;
  data: Record<string, unknown>;
}

/** The alerts in the outbox for the customer, in the order in which they were written. */
export async function alertsOf(
  { database }: Gateway,
  { organizationId }: Pick<Place, 'organizationId'>,
): Promise<WrittenAlert[]> {
  const { rows } = await database.query<{ event_id: string; workspace_id: string; payload: string }>(
    `select event_id, workspace_id, payload from webhook_deliveries
     where organization_id = $1 and event_type = 'budget.threshold_reached' order by created_at`,
    [organizationId],
  );
  return rows.map(({ event_id: eventId, workspace_id: workspaceId, payload }) => {
    const { data } = JSON.parse(payload) as { data: WrittenAlert['data'] };
    const { payer, threshold } = data as { payer: string; threshold: number };
    return { eventId, workspaceId, payer, threshold, data };
  });
}

/** The thresholds in the outbox for the customer, and nothing else of the alerts. */
export async function thresholdsOf(gateway: Gateway, customer: Place): Promise<number[]> {
  return (await alertsOf(gateway, customer)).map(({ threshold }) => threshold);
}

/** The thresholds that are marked for a payer, over all its periods. */
export async function marksOf({ database }: Gateway, payerId: string | number): Promise<number[]> {
  const { rows } = await database.query<{ threshold: number }>(
    'select threshold from budget_alerts where payer_id = $1 order by created_at, threshold',
    [`${payerId}`],
  );
  return rows.map(({ threshold }) => threshold);
}
