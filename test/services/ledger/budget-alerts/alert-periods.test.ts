import { describe, expect, test } from '@jest/globals';
import { addCredit, addWorkspace } from '../../../support/accounts.ts';
import { useAlertScene } from '../../../support/alert-scene.ts';
import {
  alertsOf,
  DAY_MS,
  NOW_MS,
  setBudget,
  setThresholds,
  setUrl,
} from '../../../support/budget-alerts.ts';
import type { Gateway } from '../../../support/gateway.ts';

let gateway: Gateway;
const { scan, customerWith, thresholdsOf, pay } = useAlertScene((scene) => ({ gateway } = scene));

describe('an alert on credit', () => {
  test('measures from the balance after the last credit entry', async () => {
    const customer = await customerWith({ creditEnforcement: true });
    const { organizationId, workspaceId } = customer;
    await addCredit(gateway, '10', organizationId);
    await pay(customer, 6);
    await scan();
    // 4 are left, and 4 are added: half of 8 is spent at 10 in all.
    await addCredit(gateway, '4', organizationId);
    await pay(customer, 3.9);
    await scan();
    expect(await thresholdsOf(customer)).toEqual([50]);
    await pay(customer, 0.1);
    await scan();
    const alerts = await alertsOf(gateway, customer);
    expect(alerts.map(({ threshold }) => threshold)).toEqual([50, 50]);
    expect(alerts[1]).toMatchObject({
      workspaceId,
      data: {
        payer: 'organization',
        payer_id: organizationId,
        workspace_id: null,
        limit_usd: 8,
        spent_usd: 4,
        reset_interval: null,
        period_start: expect.any(String),
        period_end: null,
      },
    });
    expect(alerts[0]!.eventId).not.toBe(alerts[1]!.eventId);
  });

  test('goes to the default workspace by its thresholds', async () => {
    const customer = await customerWith({ creditEnforcement: true });
    const { organizationId } = customer;
    const { workspaceId: other } = await addWorkspace({ ...gateway, organizationId });
    await setUrl(gateway, { organizationId, workspaceId: other }, 'http://127.0.0.1:9/other');
    await setThresholds(gateway, customer, [30]);
    await addCredit(gateway, '10', organizationId);
    await pay(customer, 3);
    await scan();
    const alerts = await alertsOf(gateway, customer);
    expect(alerts).toMatchObject([{ workspaceId: customer.workspaceId, threshold: 30 }]);
  });

  test('never comes when credit is not enforced', async () => {
    const customer = await customerWith();
    await addCredit(gateway, '10', customer.organizationId);
    await pay(customer, 10);
    await scan();
    expect(await thresholdsOf(customer)).toEqual([]);
  });
});

describe('a period that has ended', () => {
  const TOMORROW_MS = NOW_MS + DAY_MS;

  test('gets an alert on the next day, without later spending', async () => {
    const customer = await customerWith({ limitUsd: 10, limitReset: 'daily' });
    await setBudget(gateway, customer, 'daily', 10);
    await pay(customer, 5.5);
    await pay(customer, 4.5, { atMs: TOMORROW_MS });
    await scan(TOMORROW_MS);
    const alerts = await alertsOf(gateway, customer);
    expect(alerts.map(({ payer }) => payer).toSorted()).toEqual(['key', 'workspace']);
    for (const { data } of alerts) {
      expect(data).toMatchObject({
        threshold: 50,
        spent_usd: 5.5,
        period_start: '2031-03-12T00:00:00.000Z',
        period_end: '2031-03-13T00:00:00.000Z',
      });
    }
  });

  test('gets no alert unless it is the first day of the next one', async () => {
    const [daily, weekly] = [
      await customerWith({ limitUsd: 10, limitReset: 'daily' }),
      await customerWith({ limitUsd: 10, limitReset: 'weekly' }),
    ];
    const lastWeekMs = NOW_MS - 7 * DAY_MS;
    await pay(daily, 5);
    await pay(weekly, 5, { atMs: lastWeekMs });
    await scan(NOW_MS + 2 * DAY_MS);
    expect([await thresholdsOf(daily), await thresholdsOf(weekly)]).toEqual([[], []]);
  });

  test.each(['key', 'workspace'])('gets no alert when its %s was changed since', async (changed) => {
    const customer = await customerWith({ limitUsd: 10, limitReset: 'daily' });
    await pay(customer, 5);
    const [table, column] =
      changed === 'key' ? ['api_keys', 'limit_changed_at'] : ['workspaces', 'budgets_changed_at'];
    const id = changed === 'key' ? customer.keyId : customer.workspaceId;
    await gateway.database.query(`update ${table} set ${column} = $2 where id = $1`, [
      id,
      '2031-03-13T00:00:01Z',
    ]);
    await scan(TOMORROW_MS);
    expect(await thresholdsOf(customer)).toEqual([]);
  });

  test('gets an alert though key and workspace were renamed since', async () => {
    const customer = await customerWith({ limitUsd: 10, limitReset: 'daily' });
    await pay(customer, 5);
    const later = '2031-03-13T00:00:01Z';
    const rename = (table: string, id: number | string) =>
      gateway.database.query(`update ${table} set name = 'Renamed', updated_at = $2 where id = $1`, [
        id,
        later,
      ]);
    await rename('api_keys', customer.keyId);
    await rename('workspaces', customer.workspaceId);
    await scan(TOMORROW_MS);
    expect(await thresholdsOf(customer)).toHaveLength(1);
  });

  test.each([
    ['api_keys', 'limit_changed_at', 'limit_nanos = limit_nanos + 1'],
    ['api_keys', 'limit_changed_at', `limit_reset = 'weekly'`],
    ['api_keys', 'limit_changed_at', 'include_byok_in_limit = not include_byok_in_limit'],
    ['workspaces', 'budgets_changed_at', 'include_byok_in_budgets = not include_byok_in_budgets'],
  ])('a change of %s notes the time in %s: %s', async (table, column, change) => {
    const customer = await customerWith({ limitUsd: 10, limitReset: 'daily' });
    const id = table === 'api_keys' ? customer.keyId : customer.workspaceId;
    const noted = async () =>
      (await gateway.database.query(`select ${column} at from ${table} where id = $1`, [id])).rows[0].at;
    const before = await noted();
    await gateway.database.query(`update ${table} set name = name, ${change} where id = $1`, [id]);
    expect(await noted()).toBeInstanceOf(Date);
    expect(await noted()).not.toEqual(before);
  });

  test('gets no alert when it ended before alerts existed', async () => {
    const customer = await customerWith({ limitUsd: 10, limitReset: 'daily' });
    await pay(customer, 5);
    await gateway.database.query(`update budget_alert_scan set created_at = '2031-03-13T00:00:01Z'`);
    await scan(TOMORROW_MS);
    await gateway.database.query('update budget_alert_scan set created_at = now()');
    expect(await thresholdsOf(customer)).toEqual([]);
  });
});
