import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAccountStore } from '../../../db/accounts/account-store.ts';
import { createApiKeyStore } from '../../../db/accounts/api-key-store.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { createCreditStore, type CreditEntry } from '../../../db/accounts/credit-store.ts';
import { createPayerCounters } from '../../../db/ledger/payer-counters.ts';
import { newGenerationId, newUuid, newVideoJobId } from '../../../domain/ids.ts';
import { utcDay } from '../../../domain/ledger/spending-limit.ts';
import { newToken } from '../../../services/accounts/identity/key-token.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const MONDAY = '2026-01-05';
const MONDAY_DAY = utcDay(Date.parse(MONDAY));
const NOTHING = { usage: 0n, byok: 0n };

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

interface Customer {
  organizationId: string;
  workspaceId: string;
  keyId: number;
}

async function addCustomer(): Promise<Customer> {
  const accounts = createAccountStore(database.knex);
  const place = { organizationId: newUuid(), workspaceId: newUuid() };
  await accounts.insertOrganization({
    id: place.organizationId,
    name: 'Test',
    creditEnforcement: true,
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
  const { keyId } = await createApiKeyStore(database.knex).insert({
    hash,
    label,
    name: 'A key',
    kind: 'regular',
    ...place,
  });
  return { ...place, keyId };
}

/** What the ledger counts of a generation, in one shard of its counters. */
async function addUsage(customer: Customer, day: string, shard: number, usage: number, byok: number) {
  const amounts = { shard, usage_nanos: usage, byok_usage_nanos: byok, request_count: 1 };
  const { knex } = database;
  const add = (table: string, payer: object, target: string): Promise<unknown> =>
    knex.raw(
      `${knex(table)
        .insert({ ...payer, ...amounts })
        .toQuery()} on conflict (${target}) do update set usage_nanos = ${table}.usage_nanos + excluded.usage_nanos,
         byok_usage_nanos = ${table}.byok_usage_nanos + excluded.byok_usage_nanos`,
    );
  const { keyId: key_id, workspaceId: workspace_id, organizationId: organization_id } = customer;
  await add('key_usage', { key_id, settled_on: day }, 'key_id, settled_on, shard');
  await add('key_usage_totals', { key_id }, 'key_id, shard');
  await add('workspace_usage', { workspace_id, settled_on: day }, 'workspace_id, settled_on, shard');
  await add('organization_usage_totals', { organization_id }, 'organization_id, shard');
}

async function addJob(customer: Customer, priceNanos: number, isByok: boolean): Promise<string> {
  const id = newVideoJobId(Date.now());
  await database.knex('video_jobs').insert({
    id,
    generation_id: newGenerationId(Date.now()),
    organization_id: customer.organizationId,
    workspace_id: customer.workspaceId,
    key_id: customer.keyId,
    model: 'm',
    provider: 'p',
    endpoint_ids: ['e'],
    request_facts: {},
    request_bytes: 2,
    price_nanos: priceNanos,
    is_byok: isByok,
    deadline_at: new Date(),
    created_at: new Date(),
  });
  return id;
}

describe('the counters of payers', () => {
  test('sum usage of all shards since a day, with open jobs and credit', async () => {
    const [customer, other] = [await addCustomer(), await addCustomer()];
    await addUsage(customer, '2026-01-04', 3, 1_000, 100);
    await addUsage(customer, MONDAY, 3, 20, 2);
    await addUsage(customer, MONDAY, 11, 30, 3);
    await addUsage(customer, '2026-01-06', 3, 400, 40);
    await addUsage(other, MONDAY, 0, 9_999, 999);
    await addJob(customer, 5, false);
    await addJob(customer, 7, true);
    const ended = await addJob(customer, 100_000, false);
    await database.knex('video_jobs').update({ status: 'failed', ended_at: new Date() }).where({ id: ended });
    const credits = createCreditStore(database.knex);
    await credits.add(customer.organizationId, { amountNanos: 70n, note: '' });
    await credits.add(customer.organizationId, { amountNanos: -20n, note: '' });

    const open = { usage: 5n, byok: 7n };
    const since = { spent: { usage: 450n, byok: 45n }, open, creditNanos: 0n };
    const ever = { spent: { usage: 1_450n, byok: 145n }, open, creditNanos: 0n };
    const { keyId, workspaceId, organizationId } = customer;
    const [{ id, createdAt: addedAt }] = (await credits.list(organizationId, 1)) as [CreditEntry];
    const lastCredit = { id, addedAt, usedNanos: 1_450n };
    expect(
      await createPayerCounters(database.knex).read([
        { payer: 'workspace', id: workspaceId, sinceDay: MONDAY_DAY },
        { payer: 'key', id: keyId, sinceDay: null },
        { payer: 'organization', id: organizationId, sinceDay: null },
        { payer: 'key', id: keyId, sinceDay: MONDAY_DAY },
        { payer: 'workspace', id: workspaceId, sinceDay: null },
        { payer: 'key', id: other.keyId, sinceDay: MONDAY_DAY },
      ]),
    ).toEqual([
      since,
      ever,
      { ...ever, creditNanos: 50n, lastCredit },
      since,
      ever,
      { spent: { usage: 9_999n, byok: 999n }, open: NOTHING, creditNanos: 0n },
    ]);
  });

  test('equal zero for a payer without usage', async () => {
    const { organizationId, workspaceId, keyId } = await addCustomer();
    const zero = { spent: NOTHING, open: NOTHING, creditNanos: 0n };
    expect(
      await createPayerCounters(database.knex).read([
        { payer: 'key', id: keyId, sinceDay: null },
        { payer: 'key', id: keyId, sinceDay: MONDAY_DAY },
        { payer: 'workspace', id: workspaceId, sinceDay: null },
        { payer: 'organization', id: organizationId, sinceDay: null },
      ]),
    ).toEqual([zero, zero, zero, zero]);
  });

  test('stay exact above 2^53', async () => {
    const customer = await addCustomer();
    const exact = 9_007_199_254_740_993n;
    await createCreditStore(database.knex).add(customer.organizationId, { amountNanos: exact, note: '' });
    const [read] = await createPayerCounters(database.knex).read([
      { payer: 'organization', id: customer.organizationId, sinceDay: null },
    ]);
    expect(read?.creditNanos).toBe(exact);
  });

  test('count a settling job either as open or as spent', async () => {
    const customer = await addCustomer();
    const jobs = await Promise.all(Array.from({ length: 20 }, () => addJob(customer, 10, false)));
    const counters = createPayerCounters(database.knex);
    const settleAll = async (): Promise<void> => {
      for (const id of jobs) {
        await database.knex.transaction(async (transaction) => {
          await transaction('video_jobs')
            .update({ status: 'completed', cost_nanos: 10, ended_at: new Date() })
            .where({ id });
          await transaction.raw(
            `insert into key_usage_totals as t values (?, 0, 10, 0, 1)
             on conflict (key_id, shard) do update set usage_nanos = t.usage_nanos + 10`,
            [customer.keyId],
          );
        });
      }
    };
    let settling = true;
    const settled = settleAll().finally(() => (settling = false));
    const sums = new Set<bigint>();
    while (settling) {
      const [read] = await counters.read([{ payer: 'key', id: customer.keyId, sinceDay: null }]);
      sums.add((read?.spent.usage ?? 0n) + (read?.open.usage ?? 0n));
    }
    await settled;
    expect([...sums]).toEqual([200n]);
  });
});
