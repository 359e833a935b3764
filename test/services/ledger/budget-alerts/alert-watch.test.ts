import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Ceiling } from '../../../../domain/ceiling.ts';
import { periodStart, utcDay } from '../../../../domain/ledger/spending-limit.ts';
import { usdToNanos } from '../../../../domain/money.ts';
import type { WebhookDelivery } from '../../../../db/webhooks/webhook-store.ts';
import { type AlertWatch, createAlertWatch } from '../../../../services/ledger/budget-alerts/alert-watch.ts';
import { createPayer, type Window, windowOf } from '../../../../services/ledger/spending/payer.ts';
import type { TestActivityDeps } from '../../../support/activity-deps.ts';
import { useAlertScene } from '../../../support/alert-scene.ts';
import {
  addCustomer,
  type Customer,
  NOW_MS,
  setKeyLimit,
  spend,
  thresholdsOf,
} from '../../../support/budget-alerts.ts';
import type { Gateway } from '../../../support/gateway.ts';
import { reporting } from '../../../support/handles.ts';

let gateway: Gateway;
let activities: TestActivityDeps;
let customer: Customer;
let watch: AlertWatch;
let queries = 0;
let started: WebhookDelivery[];
let warnings: unknown[];

useAlertScene((scene) => {
  ({ gateway, activities } = scene);
});

beforeEach(async () => {
  customer = await addCustomer(gateway, { limitUsd: 10 });
  [queries, started, warnings] = [0, [], []];
  watch = newWatch();
});

/** As an API process has it; it starts the workflow of each alert that it wrote, unless the test says otherwise. */
function newWatch(start = async (delivery: WebhookDelivery) => void started.push(delivery)): AlertWatch {
  const { renderAlert } = activities.sweeping.sweep;
  const knex = reporting(activities.sweeping.sweep.knex, () => (queries += 1));
  const logger = { warn: (facts: unknown) => warnings.push(facts) };
  return createAlertWatch({ knex, renderAlert, logger, start, now: () => NOW_MS });
}

/** What memory holds of the customer's key after a read of its counters. */
function windowWith(spentUsd: number, limitUsd = 10, facts: Partial<Ceiling> = {}): Window {
  const ceiling: Ceiling = {
    payer: 'key',
    interval: 'lifetime',
    limit: usdToNanos(limitUsd),
    includeByok: false,
    alertThresholds: [50, 80, 100],
    ...facts,
  };
  const window = windowOf(createPayer('key', customer.keyId, NOW_MS), ceiling.interval, utcDay(NOW_MS));
  window.ceiling = ceiling;
  window.counters = {
    spent: { usage: usdToNanos(spentUsd), byok: 0n },
    open: { usage: usdToNanos(100), byok: 0n },
    creditNanos: 0n,
  };
  return window;
}

const look = (window: Window): Promise<void> => watch.check([window]);
const told = (): Promise<number[]> => thresholdsOf(gateway, customer);

describe('a check in memory', () => {
  test('makes no query while committed spending is below every threshold', async () => {
    const window = windowWith(4.99);
    // Reserved, or settled here and not yet read: neither is committed as far as the counters know.
    window.payer.held.usage = usdToNanos(5);
    window.recent.usage = usdToNanos(5);
    await look(window);
    await look(windowWith(9, 10, { alertThresholds: [] }));
    expect(queries).toBe(0);
  });

  test('makes no query for a window without counters or ceiling', async () => {
    await look({ ...windowWith(9), counters: null });
    await look({ ...windowWith(9), ceiling: null });
    expect(queries).toBe(0);
  });

  test('writes the alert, starts its delivery and makes no query until the next threshold', async () => {
    await spend(gateway, customer, 6);
    await look(windowWith(6));
    expect([await told(), started.length]).toEqual([[50], 1]);
    const asked = queries;
    for (const spentUsd of [6, 6.5, 7.99]) await look(windowWith(spentUsd));
    expect(queries).toBe(asked);
    await spend(gateway, customer, 2);
    await look(windowWith(8));
    expect([await told(), started.length]).toEqual([[50, 80], 2]);
  });

  test('queries again when the limit has changed', async () => {
    await spend(gateway, customer, 9);
    await look(windowWith(9));
    await setKeyLimit(gateway, customer, 12);
    await look(windowWith(9, 12));
    expect(await told()).toEqual([80, 50]);
  });

  test('writes nothing when Postgres knows less spending, a higher limit or a deletion', async () => {
    await look(windowWith(9));
    await spend(gateway, customer, 9);
    await setKeyLimit(gateway, customer, 20);
    await look(windowWith(9, 11));
    await gateway.database.query('update api_keys set deleted_at = now() where id = $1', [customer.keyId]);
    await look(windowWith(9, 12));
    expect([await told(), warnings]).toEqual([[], []]);
  });

  test('writes the alert of a daily limit in the period of today', async () => {
    await gateway.database.query(`update api_keys set limit_reset = 'daily' where id = $1`, [customer.keyId]);
    await spend(gateway, customer, 5);
    const window = windowWith(5, 10, { interval: 'daily' });
    expect(window.sinceDay).toBe(periodStart('daily', utcDay(NOW_MS)));
    await look(window);
    expect(await told()).toEqual([50]);
  });
});

describe('a refusal for want of money', () => {
  const refused = (spentUsd: number, atMs = NOW_MS, facts: Partial<Ceiling> = {}): Window => {
    const window = windowWith(spentUsd, 10, facts);
    window.refusal = { atMs, limit: window.ceiling!.limit };
    return window;
  };

  test('writes 100 % once over two processes and makes no further query', async () => {
    await spend(gateway, customer, 6);
    const others = newWatch();
    await Promise.all([look(refused(6)), others.check([refused(6)])]);
    expect([await told(), started.length]).toEqual([[100], 1]);
    const asked = queries;
    await look(refused(7));
    expect(queries).toBe(asked);
    // A process that starts later knows of no alert.
    await newWatch().check([refused(7)]);
    expect([await told(), started.length]).toEqual([[100], 1]);
  });

  test('leaves lower thresholds to spending, and repeats no 100 %', async () => {
    await look(refused(0));
    for (const usd of [6, 3, 1]) {
      await spend(gateway, customer, usd);
      await newWatch().check([windowWith(10)]);
    }
    expect(await told()).toEqual([100, 50, 80]);
  });

  test('leads to an alert at the next check after a failed write', async () => {
    await gateway.database.query('alter table webhook_deliveries rename to hidden_deliveries');
    const window = refused(0);
    await look(window);
    expect(warnings).toHaveLength(1);
    await gateway.database.query('alter table hidden_deliveries rename to webhook_deliveries');
    await look(window);
    expect([await told(), started.length]).toEqual([[100], 1]);
  });

  test('writes nothing for an earlier period or another limit', async () => {
    await gateway.database.query(`update api_keys set limit_reset = 'daily' where id = $1`, [customer.keyId]);
    await look(refused(0, NOW_MS - 86_400_000, { interval: 'daily' }));
    await look({ ...refused(0), refusal: { atMs: NOW_MS, limit: usdToNanos(9) } });
    expect([await told(), queries]).toEqual([[], 0]);
    await look(refused(0, NOW_MS, { interval: 'daily' }));
    expect(await told()).toEqual([100]);
  });

  test('writes nothing where 100 % is none of the thresholds', async () => {
    await look(refused(0, NOW_MS, { alertThresholds: [50, 90] }));
    expect([await told(), queries]).toEqual([[], 0]);
  });
});

test('a delivery that cannot be started is left to the sweep', async () => {
  watch = newWatch(() => Promise.reject(new Error('Temporal is away')));
  await spend(gateway, customer, 6);
  await look(windowWith(6));
  await look(windowWith(6));
  const { rows } = await gateway.database.query(
    'select dispatched_at from webhook_deliveries where organization_id = $1',
    [customer.organizationId],
  );
  expect(rows).toEqual([{ dispatched_at: null }]);
  expect(warnings).toHaveLength(1);
});

test('a check that fails is made again, and close waits for one in flight', async () => {
  await spend(gateway, customer, 6);
  await gateway.database.query('alter table budget_alerts rename to hidden_alerts');
  await look(windowWith(6));
  expect(warnings).toHaveLength(1);
  await gateway.database.query('alter table hidden_alerts rename to budget_alerts');
  const looking = look(windowWith(6));
  await watch.close();
  expect(await told()).toEqual([50]);
  await looking;
  await spend(gateway, customer, 3);
  await look(windowWith(9));
  expect(await told()).toEqual([50]);
});
