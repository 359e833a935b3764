import { describe, expect, test } from '@jest/globals';
import { useAlertScene } from '../../../support/alert-scene.ts';
import {
  alertsOf,
  DAY_MS,
  marksOf,
  NOW_MS,
  setBudget,
  setKeyLimit,
  setThresholds,
  setUrl,
} from '../../../support/budget-alerts.ts';
import type { Gateway } from '../../../support/gateway.ts';

let gateway: Gateway;
const { scan, customerWith, thresholdsOf, pay } = useAlertScene((scene) => ({ gateway } = scene));

describe('a limit', () => {
  test('writes each threshold once, when spending reaches it', async () => {
    const customer = await customerWith({ limitUsd: 10 });
    const seen: number[][] = [];
    for (const usd of [4.999, 0.001, 0, 2.9, 0.1, 2, 5]) {
      if (usd > 0) await pay(customer, usd);
      await scan();
      seen.push(await thresholdsOf(customer));
    }
    expect(seen).toEqual([[], [50], [50], [50], [50, 80], [50, 80, 100], [50, 80, 100]]);
  });

  test('writes only the highest of several thresholds reached at once, and marks the lower', async () => {
    const customer = await customerWith({ limitUsd: 10 });
    await pay(customer, 9);
    expect(await scan()).toBe(1);
    expect([await thresholdsOf(customer), await marksOf(gateway, customer.keyId)]).toEqual([[80], [50, 80]]);
    await pay(customer, 1);
    await scan();
    expect([await thresholdsOf(customer), await marksOf(gateway, customer.keyId)]).toEqual([
      [80, 100],
      [50, 80, 100],
    ]);
  });

  test('repeats nothing when it changes within a period, and may reach more', async () => {
    const customer = await customerWith({ limitUsd: 10, limitReset: 'monthly' });
    await pay(customer, 8);
    await scan();
    await setKeyLimit(gateway, customer, 16);
    await scan();
    await pay(customer, 5);
    await scan();
    expect(await thresholdsOf(customer)).toEqual([80]);
    await setKeyLimit(gateway, customer, 13);
    await scan();
    expect(await thresholdsOf(customer)).toEqual([80, 100]);
  });

  test.each(['key', 'workspace'])(
    'begins a period with each new value of a %s without a reset',
    async (payer) => {
      const customer = await customerWith();
      const set = (usd: number) =>
        payer === 'key' ? setKeyLimit(gateway, customer, usd) : setBudget(gateway, customer, 'lifetime', usd);
      await set(10);
      await pay(customer, 8);
      await scan();
      await set(16);
      await scan();
      expect(await thresholdsOf(customer)).toEqual([80, 50]);
      await set(10);
      await scan();
      expect(await thresholdsOf(customer)).toEqual([80, 50]);
    },
  );

  test('writes its thresholds again in the next period when it has a reset', async () => {
    const customer = await customerWith({ limitUsd: 10, limitReset: 'daily' });
    await pay(customer, 6);
    await scan();
    await pay(customer, 5, { atMs: NOW_MS + DAY_MS });
    await scan(NOW_MS + DAY_MS);
    const alerts = await alertsOf(gateway, customer);
    expect(alerts.map(({ eventId }) => eventId)).toEqual([
      `budget-key-${customer.hash}-daily-2031-03-12-50`,
      `budget-key-${customer.hash}-daily-2031-03-13-50`,
    ]);
  });

  test('counts BYOK spending only if it includes BYOK', async () => {
    const without = await customerWith({ limitUsd: 10 });
    const including = await customerWith({ limitUsd: 10, includeByokInLimit: true });
    for (const customer of [without, including]) {
      await setBudget(gateway, customer, 'lifetime', 10);
      await pay(customer, 5, { isByok: true });
    }
    await scan();
    expect(await thresholdsOf(without)).toEqual([]);
    expect((await alertsOf(gateway, including)).map(({ payer }) => payer)).toEqual(['key']);
    await gateway.database.query('update workspaces set include_byok_in_budgets = true where id = $1', [
      without.workspaceId,
    ]);
    await scan();
    expect((await alertsOf(gateway, without)).map(({ payer }) => payer)).toEqual(['workspace']);
  });

  test('has no alerts when it is zero or its key or workspace is deleted', async () => {
    const zero = await customerWith({ limitUsd: 0 });
    const [deleted, gone] = [await customerWith({ limitUsd: 10 }), await customerWith()];
    await setBudget(gateway, gone, 'daily', 10);
    await gateway.database.query('update api_keys set deleted_at = now() where id = $1', [deleted.keyId]);
    await gateway.database.query(
      'update workspaces set deleted_at = now(), is_default = false where id = $1',
      [gone.workspaceId],
    );
    for (const customer of [zero, deleted, gone]) await pay(customer, 10);
    await scan();
    for (const customer of [zero, deleted, gone]) expect(await thresholdsOf(customer)).toEqual([]);
    expect(await marksOf(gateway, deleted.keyId)).toEqual([]);
  });
});

describe('the event of an alert', () => {
  test('names the hash and the workspace of a key', async () => {
    const customer = await customerWith({ limitUsd: 10, limitReset: 'weekly' });
    await pay(customer, 12.5);
    await scan();
    const [alert] = await alertsOf(gateway, customer);
    expect(alert).toMatchObject({
      eventId: `budget-key-${customer.hash}-weekly-2031-03-10-100`,
      workspaceId: customer.workspaceId,
      data: {
        payer: 'key',
        payer_id: customer.hash,
        workspace_id: customer.workspaceId,
        threshold: 100,
        limit_usd: 10,
        spent_usd: 12.5,
        reset_interval: 'weekly',
        period_start: '2031-03-10T00:00:00.000Z',
        period_end: '2031-03-17T00:00:00.000Z',
      },
    });
  });

  test('covers each budget of a workspace by itself', async () => {
    const customer = await customerWith();
    await setBudget(gateway, customer, 'monthly', 10);
    await setBudget(gateway, customer, 'lifetime', 12);
    await pay(customer, 8);
    await scan();
    const alerts = await alertsOf(gateway, customer);
    const { workspaceId } = customer;
    const shown = { payer: 'workspace', payer_id: workspaceId, workspace_id: workspaceId, spent_usd: 8 };
    expect(new Set(alerts.map(({ data }) => data))).toEqual(
      new Set([
        {
          ...shown,
          threshold: 80,
          limit_usd: 10,
          reset_interval: 'monthly',
          period_start: '2031-03-01T00:00:00.000Z',
          period_end: '2031-04-01T00:00:00.000Z',
        },
        {
          ...shown,
          threshold: 50,
          limit_usd: 12,
          reset_interval: null,
          period_start: null,
          period_end: null,
        },
      ]),
    );
  });
});

describe('the thresholds of a workspace', () => {
  test('apply to it alone, and an empty list writes no alert', async () => {
    const [own, none] = [await customerWith({ limitUsd: 10 }), await customerWith({ limitUsd: 10 })];
    await setThresholds(gateway, own, [1, 95]);
    await setThresholds(gateway, none, []);
    for (const customer of [own, none]) await pay(customer, 9.4);
    await scan();
    expect([await thresholdsOf(own), await thresholdsOf(none)]).toEqual([[1], []]);
    await setThresholds(gateway, none, [90]);
    await scan();
    expect(await thresholdsOf(none)).toEqual([90]);
  });

  test('apply later if they are above all that were sent in the period', async () => {
    const customer = await customerWith({ limitUsd: 10 });
    await pay(customer, 9);
    await scan();
    await setThresholds(gateway, customer, [20, 70]);
    await scan();
    expect([await thresholdsOf(customer), await marksOf(gateway, customer.keyId)]).toEqual([
      [80],
      [50, 80, 20, 70],
    ]);
    await setThresholds(gateway, customer, [70, 85]);
    await scan();
    expect(await thresholdsOf(customer)).toEqual([80, 85]);
  });

  test('count as reached without a webhook, and a later URL gets only later ones', async () => {
    const silent = await customerWith({ limitUsd: 10, url: null });
    const choosy = await customerWith({ limitUsd: 10 });
    await gateway.database.query(
      `update workspaces set webhook_event_types = '{video.generation.failed}' where id = $1`,
      [choosy.workspaceId],
    );
    for (const customer of [silent, choosy]) await pay(customer, 8);
    expect(await scan()).toBe(2);
    for (const customer of [silent, choosy]) {
      expect([await thresholdsOf(customer), await marksOf(gateway, customer.keyId)]).toEqual([[], [50, 80]]);
    }
    await setUrl(gateway, silent, 'http://127.0.0.1:9/hook');
    await scan();
    expect(await thresholdsOf(silent)).toEqual([]);
    await pay(silent, 2);
    await scan();
    expect(await thresholdsOf(silent)).toEqual([100]);
  });
});
