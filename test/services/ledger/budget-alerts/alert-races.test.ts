import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createBudgetLimitReadModel } from '../../../../db/accounts/budget-limit-read-model.ts';
import { sweep } from '../../../../services/sweep/sweep.ts';
import { type BudgetAlertDeps, checkLimits } from '../../../../services/ledger/budget-alerts/check-limits.ts';
import type { TestActivityDeps } from '../../../support/activity-deps.ts';
import { useAlertScene } from '../../../support/alert-scene.ts';
import {
  addCustomer,
  type Customer,
  marksOf,
  NOW_MS,
  scanNow,
  setThresholds,
  spend,
  thresholdsOf,
} from '../../../support/budget-alerts.ts';
import type { Gateway } from '../../../support/gateway.ts';

let gateway: Gateway;
let activities: TestActivityDeps;
let deps: BudgetAlertDeps;
let customer: Customer;

useAlertScene((scene) => ({ gateway, activities, deps } = scene));

beforeEach(async () => {
  customer = await addCustomer(gateway, { limitUsd: 10 });
});

afterEach(() => gateway.database.query('drop function if exists refuse cascade'));

/** One look at the limit of the customer's key, as of an API process. Returns how many alerts it wrote. */
async function look(): Promise<number> {
  const limits = await createBudgetLimitReadModel(deps.knex).of([{ kind: 'key', id: customer.keyId }]);
  return (await checkLimits({ ...deps, now: () => NOW_MS }, limits)).length;
}

async function outcome(): Promise<{ thresholds: number[]; marked: number[] }> {
  return {
    thresholds: await thresholdsOf(gateway, customer),
    marked: await marksOf(gateway, customer.keyId),
  };
}

const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0);

describe('concurrent checks by many processes', () => {
  test('write an alert once', async () => {
    await spend(gateway, customer, 8);
    const written = await Promise.all([look(), look(), scanNow(gateway, deps), look(), look()]);
    expect(sum(written)).toBe(1);
    expect(await outcome()).toEqual({ thresholds: [80], marked: [50, 80] });
  });

  test('write each threshold at most once, and always the highest, while spending goes on', async () => {
    const looks: Promise<number>[] = [];
    for (let paid = 0; paid < 11; paid += 1) {
      await spend(gateway, customer, 1);
      looks.push(look(), look());
    }
    const written = sum(await Promise.all(looks)) + (await look());
    const { thresholds, marked } = await outcome();
    expect(marked).toEqual([50, 80, 100]);
    expect(thresholds.at(-1)).toBe(100);
    expect([thresholds.length, new Set(thresholds).size]).toEqual([written, written]);
  });

  test('write no threshold below one that was sent, with different lists', async () => {
    await spend(gateway, customer, 9);
    await setThresholds(gateway, customer, [90]);
    await look();
    await setThresholds(gateway, customer, [10, 20]);
    await Promise.all([look(), look()]);
    expect(await outcome()).toEqual({ thresholds: [90], marked: [90, 10, 20] });
  });
});

describe('an alert', () => {
  test.each([
    ['when the outbox refuses the event', 'trigger refuse before insert on webhook_deliveries'],
    [
      'when the commit fails',
      'constraint trigger refuse after insert on budget_alerts deferrable initially deferred',
    ],
  ])('leaves no rows at all %s', async (_, trigger) => {
    await spend(gateway, customer, 5);
    await gateway.database.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
       create ${trigger} for each row execute function refuse()`,
    );
    expect(await look()).toBe(0);
    expect(await outcome()).toEqual({ thresholds: [], marked: [] });
    await gateway.database.query('drop function refuse cascade');
    expect(await look()).toBe(1);
    expect(await outcome()).toEqual({ thresholds: [50], marked: [50] });
  });

  test('does not block others when it cannot be written, and is retried', async () => {
    const other = await addCustomer(gateway, { limitUsd: 10 });
    for (const one of [customer, other]) await spend(gateway, one, 5);
    await gateway.database.query(
      `create function refuse() returns trigger language plpgsql as $$ begin
         if new.payer_id = '${customer.keyId}' then raise 'not now'; end if;
         return new;
       end $$;
       create trigger refuse before insert on budget_alerts for each row execute function refuse()`,
    );
    expect(await scanNow(gateway, deps)).toBe(1);
    expect([await thresholdsOf(gateway, customer), await thresholdsOf(gateway, other)]).toEqual([[], [50]]);
    await gateway.database.query('drop function refuse cascade');
    expect(await scanNow(gateway, deps)).toBe(1);
    expect(await thresholdsOf(gateway, customer)).toEqual([50]);
  });

  test('gets its delivery started once by the sweep', async () => {
    await gateway.database.query('delete from webhook_deliveries');
    await spend(gateway, customer, 5);
    expect(await look()).toBe(1);
    await gateway.database.query(`update webhook_deliveries set created_at = now() - interval '1 hour'`);
    expect((await sweep(activities.sweeping.sweep)).webhooks).toBe(1);
    expect((await sweep(activities.sweeping.sweep)).webhooks).toBe(0);
  });
});
