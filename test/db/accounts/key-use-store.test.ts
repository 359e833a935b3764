import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createAccountStore } from '../../../db/accounts/account-store.ts';
import { createApiKeyStore } from '../../../db/accounts/api-key-store.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { createWorkspaceBudgetStore } from '../../../db/accounts/workspace-budget-store.ts';
import { createKeyUseStore } from '../../../db/accounts/key-use-store.ts';
import { newUuid } from '../../../domain/ids.ts';
import { newToken } from '../../../services/accounts/identity/key-token.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let testDatabase: TestDatabase;
let database: Database;
let listener: pg.Client;
const place = { organizationId: newUuid(), workspaceId: newUuid() };
const noticed: string[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 8 });
  const accounts = createAccountStore(database.knex);
  await accounts.insertOrganization({
    id: place.organizationId,
    name: 'Test',
    creditEnforcement: false,
    entitlements: [],
  });
  await accounts.insertWorkspace({
    id: place.workspaceId,
    organizationId: place.organizationId,
    name: 'Default',
    slug: 'default',
    isDefault: true,
    defaultCallbackUrl: null,
    createdBy: null,
  });
  listener = new pg.Client({ connectionString: testDatabase.url });
  await listener.connect();
  listener.on('notification', ({ payload }) => noticed.push(payload ?? ''));
  await listener.query('listen sluice_api_keys');
});

afterAll(async () => {
  await listener.end();
  await database.close();
  await testDatabase.drop();
});

async function addKey(): Promise<{ keyId: number; hash: string }> {
  const { hash, label } = newToken();
  const facts = { hash, label, name: 'A key', kind: 'regular' as const, ...place };
  return { hash, keyId: (await createApiKeyStore(database.knex).insert(facts)).keyId };
}

async function lastUsed(hash: string): Promise<{ last_used_at: Date | null; updated_at: Date | null }> {
  return database.knex('api_keys').where({ hash }).first('last_used_at', 'updated_at');
}

/** Notices arrive before the answer to whatever is asked after them. */
async function noticesSoFar(): Promise<string[]> {
  await listener.query('select');
  return noticed.splice(0);
}

describe('a use of a key', () => {
  const at = (seconds: number): Date => new Date(1_800_000_000_000 + seconds * 1_000);

  test('sets last_used_at without a notification or a new updated_at', async () => {
    const { keyId, hash } = await addKey();
    await createKeyUseStore(database.knex).record([{ keyId, usedAt: at(1) }]);
    expect(await lastUsed(hash)).toEqual({ last_used_at: at(1), updated_at: null });
    expect(await noticesSoFar()).toEqual([]);
  });

  test('never moves last_used_at back', async () => {
    const { keyId, hash } = await addKey();
    const store = createKeyUseStore(database.knex);
    for (const seconds of [5, 3]) await store.record([{ keyId, usedAt: at(seconds) }]);
    expect((await lastUsed(hash)).last_used_at).toEqual(at(5));
  });

  test('succeeds for a key that does not exist', async () => {
    await createKeyUseStore(database.knex).record([{ keyId: 2 ** 40, usedAt: at(1) }]);
  });

  test('causes no deadlock among 40 writers that order the keys differently', async () => {
    const keys = await Promise.all(Array.from({ length: 60 }, addKey));
    const store = createKeyUseStore(database.knex);
    const rounds = Array.from({ length: 40 }, (_, round) => {
      const uses = keys.map(({ keyId }) => ({ keyId, usedAt: at(round) }));
      return store.record(round % 2 === 0 ? uses : uses.toReversed());
    });
    await Promise.all(rounds);
    for (const { hash } of keys) expect((await lastUsed(hash)).last_used_at).toEqual(at(39));
    expect(await noticesSoFar()).toEqual([]);
  });
});

describe('a change of a key', () => {
  test.each<[string, string]>([
    ['disabling', 'disabled = true'],
    ['a limit', 'limit_nanos = 5'],
    ['one that also notes a use', `last_used_at = now(), name = 'New'`],
    ['deletion', 'deleted_at = now()'],
  ])('sends a notification: %s', async (_what, assignment) => {
    const { hash } = await addKey();
    await database.knex.raw(`update api_keys set ${assignment} where hash = ?`, [hash]);
    expect(await noticesSoFar()).toEqual([hash]);
  });

  test('sends a notification when the row is deleted', async () => {
    const { hash } = await addKey();
    await database.knex('api_keys').where({ hash }).delete();
    expect(await noticesSoFar()).toEqual([hash]);
  });
});

describe("a change of a workspace's or an organization's settings", () => {
  const CHANGES: [what: string, sql: string][] = [
    [
      'a budget',
      `insert into workspace_budgets (id, workspace_id, interval, limit_nanos)
       values (gen_random_uuid(), :workspaceId, 'daily', 1)`,
    ],
    ['another limit of it', `update workspace_budgets set limit_nanos = 2`],
    ['its end', `delete from workspace_budgets`],
    ['what counts', `update workspaces set include_byok_in_budgets = true where id = :workspaceId`],
    ['enforcement', `update organizations set credit_enforcement = true where id = :organizationId`],
  ];

  test('sends a notification for each existing key, and none for deleted ones', async () => {
    await database.knex('api_keys').update({ deleted_at: new Date() });
    const { hash } = await addKey();
    await noticesSoFar();
    for (const [what, sql] of CHANGES) {
      await database.knex.raw(sql, { ...place });
      expect([what, await noticesSoFar()]).toEqual([what, [hash]]);
    }
  });

  test('sends no notification when the value stays the same', async () => {
    await addKey();
    const store = createWorkspaceBudgetStore(database.knex);
    await store.upsert(place.workspaceId, 'weekly', 5n);
    await noticesSoFar();
    await store.upsert(place.workspaceId, 'weekly', 5n);
    expect(await noticesSoFar()).toEqual([]);
  });
});
