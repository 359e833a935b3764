import { beforeEach, expect, test } from '@jest/globals';
import { scanLimits } from '../../../../services/ledger/budget-alerts/scan-limits.ts';
import { type BudgetAlertDeps } from '../../../../services/ledger/budget-alerts/check-limits.ts';
import { sweep } from '../../../../services/sweep/sweep.ts';
import { addCredit } from '../../../support/accounts.ts';
import type { TestActivityDeps } from '../../../support/activity-deps.ts';
import { useAlertScene } from '../../../support/alert-scene.ts';
import {
  addCustomer,
  alertsOf,
  type Customer,
  NOW_MS,
  scanNow,
  setBudget,
  spend,
} from '../../../support/budget-alerts.ts';
import type { Gateway } from '../../../support/gateway.ts';

/** More than two pages of limits. */
const KEYS = 1_050;
/** Every tenth key has spent half of its limit. */
const ALERTS = KEYS / 10;
const ALERTS_OF_FIRST_PAGE = 50;

let gateway: Gateway;
let activities: TestActivityDeps;
let deps: BudgetAlertDeps;
let customer: Customer;

useAlertScene(async (scene) => {
  ({ gateway, activities } = scene);
  deps = { ...scene.deps, now: () => NOW_MS };
  customer = await addCustomer(gateway, { creditEnforcement: true });
  await addLimitedKeys();
});

/** Each test begins long after the last scan, and nothing is marked. */
beforeEach(async () => {
  await gateway.database.query('delete from budget_alerts; delete from webhook_deliveries');
  await gateway.database.query(
    `update budget_alert_scan set began_at = '-infinity', payer = null, after_id = null`,
  );
});

/** Adds keys with a limit of a dollar. */
async function addLimitedKeys(): Promise<void> {
  const { organizationId, workspaceId } = customer;
  await gateway.database.query(
    `with made as (
       insert into api_keys (hash, kind, name, label, organization_id, workspace_id, limit_nanos)
       select lpad(to_hex(n), 64, '0'), 'regular', 'A key', 'sk-…', $1, $2, 1000000000
       from generate_series(1, $3::integer) n returning id)
     insert into key_usage_totals (key_id, shard, usage_nanos, byok_usage_nanos, request_count)
     select id, 0, 500000000, 0, 1 from made where id % 10 = 0`,
    [organizationId, workspaceId, KEYS],
  );
}

const scan = (signal?: AbortSignal): Promise<number> => scanLimits(deps, { limitMs: 60_000, signal });
const noTime = (): Promise<number> => scanLimits(deps, { limitMs: 0 });

async function marks(): Promise<number> {
  const { rows } = await gateway.database.query('select count(*)::integer n from budget_alerts');
  return rows[0].n;
}

test('a scan covers all keys, budgets and credits over several pages', async () => {
  await setBudget(gateway, customer, 'lifetime', 10);
  await addCredit(gateway, '10', customer.organizationId);
  await spend(gateway, customer, 5);
  expect(await scan()).toBe(ALERTS + 2);
  const payers = (await alertsOf(gateway, customer)).map(({ payer }) => payer);
  expect(new Set(payers)).toEqual(new Set(['key', 'workspace', 'organization']));
  await gateway.database.query('delete from workspace_budgets; delete from credit_entries');
});

test('the next scan begins five minutes after the last one began', async () => {
  expect(await scan()).toBe(ALERTS);
  await gateway.database.query('delete from budget_alerts');
  expect(await scan()).toBe(0);
  const age = (minutes: number) =>
    gateway.database.query('update budget_alert_scan set began_at = now() - $1::interval', [
      `${minutes} minutes`,
    ]);
  await age(4.9);
  expect(await scan()).toBe(0);
  await age(5.1);
  expect(await scan()).toBe(ALERTS);
});

test('a scan that runs out of time is continued by the next call', async () => {
  await noTime();
  const { rows } = await gateway.database.query('select payer, after_id from budget_alert_scan');
  expect(rows).toEqual([{ payer: 'key', after_id: '0' }]);
  const stop = new AbortController();
  const stopping: BudgetAlertDeps = {
    ...deps,
    renderAlert(alert) {
      // In the first page: the page is looked at to its end, and no other is begun.
      stop.abort();
      return deps.renderAlert(alert);
    },
  };
  const first = await scanLimits(stopping, { limitMs: 60_000, signal: stop.signal });
  expect([first, await marks()]).toEqual([ALERTS_OF_FIRST_PAGE, ALERTS_OF_FIRST_PAGE]);
  expect(await scan()).toBe(ALERTS - ALERTS_OF_FIRST_PAGE);
});

test('a limit that cannot be read does not stop the scan of others', async () => {
  const broken = `update key_usage_totals set usage_nanos = $1
    where key_id = (select max(key_id) from key_usage_totals where usage_nanos > 0) returning key_id`;
  const { rows } = await gateway.database.query(broken, ['NaN']);
  const warnings: object[] = [];
  const warned: BudgetAlertDeps = { ...deps, logger: { warn: (facts: object) => void warnings.push(facts) } };
  expect(await scanLimits(warned, { limitMs: 60_000 })).toBe(ALERTS - 1);
  expect(warnings).toEqual([expect.objectContaining({ payer: 'key', payerId: rows[0].key_id })]);
  await gateway.database.query(
    `update key_usage_totals set usage_nanos = 500000000 where usage_nanos = 'NaN'`,
  );
});

test('a worker that dies within a page loses and repeats no alert', async () => {
  let rendered = 0;
  const dying: BudgetAlertDeps = {
    ...deps,
    renderAlert(alert) {
      rendered += 1;
      if (rendered > 70) throw new Error('gone');
      return deps.renderAlert(alert);
    },
    logger: {
      // What a process that is gone would not do: it writes no more, and moves the scan no further.
      warn() {
        throw new Error('gone');
      },
    },
  };
  await expect(scanLimits(dying, { limitMs: 60_000 })).rejects.toThrow('gone');
  expect(await marks()).toBe(70);
  expect(await scan()).toBe(ALERTS - 70);
  expect(await alertsOf(gateway, customer)).toHaveLength(ALERTS);
});

test('several sweeps at once write each alert once', async () => {
  const reports = await Promise.all([1, 2, 3].map(() => sweep(activities.sweeping.sweep)));
  expect(reports.reduce((sum, { alerts }) => sum + alerts, 0)).toBe(ALERTS);
  expect(await alertsOf(gateway, customer)).toHaveLength(ALERTS);
});

test('a sweep that is asked to stop begins no scan', async () => {
  expect((await sweep(activities.sweeping.sweep, AbortSignal.abort())).alerts).toBe(0);
  expect(await scanNow(gateway, deps)).toBe(ALERTS);
});
