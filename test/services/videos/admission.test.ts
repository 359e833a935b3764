import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAccountStore } from '../../../db/accounts/account-store.ts';
import { createApiKeyStore, type NewApiKey } from '../../../db/accounts/api-key-store.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { createWorkspaceBudgetStore } from '../../../db/accounts/workspace-budget-store.ts';
import { newUuid } from '../../../domain/ids.ts';
import { type Nanos, parseUsd } from '../../../domain/money.ts';
import type { Principal } from '../../../domain/principal.ts';
import type { Spend } from '../../../domain/ledger/spending-limit.ts';
import { LIMIT_RESETS, type LimitInterval } from '../../../domain/ceiling.ts';
import { newToken } from '../../../services/accounts/identity/key-token.ts';
import { admitSpending } from '../../../services/videos/admission.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { openTransaction } from '../../support/handles.ts';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 4 });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

async function addCustomer(creditEnforcement: boolean, facts: Partial<NewApiKey> = {}): Promise<Principal> {
  const accounts = createAccountStore(database.knex);
  const place = { organizationId: newUuid(), workspaceId: newUuid() };
  await accounts.insertOrganization({
    id: place.organizationId,
    name: 'Test',
    creditEnforcement,
    entitlements: [],
  });
  await accounts.insertWorkspace({
    id: place.workspaceId,
    organizationId: place.organizationId,
    name: 'Test',
    slug: 'test',
    isDefault: true,
    defaultCallbackUrl: null,
    createdBy: null,
  });
  const { hash, label } = newToken();
  const key: NewApiKey = { hash, label, name: 'A key', kind: 'regular', ...place, ...facts };
  return createApiKeyStore(database.knex).insert(key);
}

async function addCredit({ organizationId }: Principal, usd: string): Promise<void> {
  await database.knex('credit_entries').insert({
    id: newUuid(),
    organization_id: organizationId,
    amount_nanos: parseUsd(usd).toString(),
  });
}

/** Usage of today, in the key's and the organization's counters, spread over two shards. */
async function addUsage(
  { keyId, organizationId, workspaceId }: Principal,
  usd: string,
  byokUsd = '0',
): Promise<void> {
  for (const shard of [3, 11]) {
    const amounts = {
      shard,
      usage_nanos: (parseUsd(usd) / 2n).toString(),
      byok_usage_nanos: (parseUsd(byokUsd) / 2n).toString(),
      request_count: 1,
    };
    await database.knex('key_usage').insert({ key_id: keyId, settled_on: new Date(), ...amounts });
    await database.knex('key_usage_totals').insert({ key_id: keyId, ...amounts });
    await database.knex('workspace_usage').insert({
      workspace_id: workspaceId,
      settled_on: new Date(),
      ...amounts,
    });
    await database.knex('organization_usage_totals').insert({ organization_id: organizationId, ...amounts });
  }
}

const paid = (usage: Nanos): Spend => ({ usage, byok: 0n });

function admit(principal: Principal, price: Nanos): Promise<void> {
  return database.knex.transaction((transaction) =>
    admitSpending(transaction, principal, paid(price), 'https://pay.example'),
  );
}

const CENT = parseUsd('0.01');

describe('spending of an organization with enforced credit', () => {
  test('fits up to the last nanodollar of purchases less usage', async () => {
    const customer = await addCustomer(true);
    await addCredit(customer, '5');
    await addCredit(customer, '-1');
    await addUsage(customer, '3.99');
    await admit(customer, CENT);
    await expect(admit(customer, CENT + 1n)).rejects.toMatchObject({ code: 'insufficient_credits' });
  });

  test('does not count BYOK usage', async () => {
    const customer = await addCustomer(true);
    await addCredit(customer, '0.01');
    await addUsage(customer, '0', '100');
    await admit(customer, CENT);
  });

  test('needs no credit when its amount is zero', async () => {
    await admit(await addCustomer(true), 0n);
  });

  test("fails with the key's limit before the credit", async () => {
    const customer = await addCustomer(true, { limitNanos: 0n });
    await expect(admit(customer, CENT)).rejects.toMatchObject({ code: 'key_limit_exceeded' });
  });
});

describe('spending by a key with a limit', () => {
  test.each(['daily', 'weekly', 'monthly', undefined] as const)(
    'fits up to the limit of all shards together when it resets %s',
    async (limitReset) => {
      const facts = { limitNanos: parseUsd('1'), ...(limitReset === undefined ? {} : { limitReset }) };
      const customer = await addCustomer(false, facts);
      await addUsage(customer, '0.99');
      await admit(customer, CENT);
      await expect(admit(customer, CENT + 1n)).rejects.toMatchObject({ code: 'key_limit_exceeded' });
    },
  );

  test('counts BYOK usage only when the key includes it', async () => {
    const customer = await addCustomer(false, { limitNanos: CENT });
    await addUsage(customer, '0', '1');
    await admit(customer, CENT);
    await database.knex('api_keys').update({ include_byok_in_limit: true }).where({ hash: customer.keyHash });
    await expect(admit(customer, CENT)).rejects.toMatchObject({ code: 'key_limit_exceeded' });
  });

  test("follows the limit's stored value and not the cached key", async () => {
    const customer = await addCustomer(false);
    await admit(customer, CENT);
    await database.knex('api_keys').update({ limit_nanos: 0 }).where({ hash: customer.keyHash });
    await expect(admit(customer, CENT)).rejects.toMatchObject({ code: 'key_limit_exceeded' });
  });
});

describe('spending in a workspace with budgets', () => {
  const budgetOf = ({ workspaceId }: Principal, interval: LimitInterval, usd: string): Promise<unknown> =>
    createWorkspaceBudgetStore(database.knex).upsert(workspaceId, interval, parseUsd(usd));

  test.each(LIMIT_RESETS)('fits up to the budget that resets %s', async (interval) => {
    const customer = await addCustomer(false);
    await budgetOf(customer, interval, '1');
    await budgetOf(customer, 'lifetime', '100');
    await addUsage(customer, '0.99');
    await admit(customer, CENT);
    await expect(admit(customer, CENT + 1n)).rejects.toMatchObject({ code: 'budget_exceeded' });
  });

  test('counts all days under a lifetime budget, and BYOK usage when the workspace includes it', async () => {
    const customer = await addCustomer(false);
    await budgetOf(customer, 'lifetime', '1');
    await addUsage(customer, '0.99', '0.01');
    await database.knex('workspace_usage').update({ settled_on: '2020-01-01' });
    await admit(customer, CENT);
    await createWorkspaceBudgetStore(database.knex).setIncludeByok(customer.workspaceId, true);
    await expect(admit(customer, CENT)).rejects.toMatchObject({ code: 'budget_exceeded' });
  });
});

test.each([
  ['disabled', { disabled: true }],
  ['deleted', { disabled: true, deleted_at: new Date() }],
])('spending by a key that was %s a moment ago fails with invalid_credential', async (_, change) => {
  const customer = await addCustomer(false);
  await database.knex('api_keys').update(change).where({ hash: customer.keyHash });
  for (const price of [CENT, 0n]) {
    await expect(admit(customer, price)).rejects.toMatchObject({ code: 'invalid_credential' });
  }
});

test('a second admission against the same credit waits for the first', async () => {
  const customer = await addCustomer(true);
  await addCredit(customer, '0.01');
  const { knex } = database;
  const first = await openTransaction(knex);
  let second: Promise<unknown> | undefined;
  try {
    await admitSpending(first.handle, customer, paid(CENT), 'https://pay.example');
    second = admit(customer, CENT);
    await eventually('the second waiting for the first', async () => {
      const { rows }: { rows: unknown[] } = await knex.raw(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0 ? true : undefined;
    });
  } finally {
    await first.rollback();
  }
  await second;
});
