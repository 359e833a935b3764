import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type Database, rowsOf } from '../../db/connection.ts';
import { createIdempotencyStore, type IdempotencyScope } from '../../db/idempotency-store.ts';
import { newUuid } from '../../domain/ids.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let testDatabase: TestDatabase;
let database: Database;
let organizationId: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 2 });
  organizationId = newUuid();
  await database.knex('organizations').insert({ id: organizationId, name: 'Test' });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

function scopeOf(facts: Partial<IdempotencyScope> = {}): IdempotencyScope {
  const [workspaceId, key] = [newUuid(), newUuid()];
  return { organizationId, workspaceId, operation: 'createVideo', key, requestHash: 'hash', ...facts };
}

const store = () => createIdempotencyStore(database.knex);

/** Remembers an answer as the version before does; returns how many rows it wrote. */
async function rememberInPreviousVersion({ operation, key }: IdempotencyScope): Promise<number> {
  const rows = await rowsOf(
    database.knex,
    `insert into idempotency_records (organization_id, operation, key, request_hash, status, body, sealed_body)
     values (?, ?, ?, 'hash', 202, '{}'::jsonb, null)
     on conflict (organization_id, operation, key) do update
       set request_hash = excluded.request_hash, created_at = now()
       where idempotency_records.created_at <= now() - interval '24 hours'
     returning key`,
    [organizationId, operation, key],
  );
  return rows.length;
}

test('an answer is found in its own workspace only', async () => {
  const scope = scopeOf();
  expect(await store().remember(scope, 202, { json: { id: 'first' } })).toBe(true);
  expect(await store().find(scope)).toEqual({
    requestHash: 'hash',
    status: 202,
    body: { json: { id: 'first' } },
  });
  for (const workspaceId of [newUuid(), null]) {
    const elsewhere = { ...scope, workspaceId };
    expect(await store().find(elsewhere)).toBeNull();
    expect(await store().remember(elsewhere, 202, { json: {} })).toBe(true);
  }
});

test.each([
  ['of a workspace', newUuid()],
  ['of the organization', null],
])('an answer %s is remembered once', async (_, workspaceId) => {
  const scope = scopeOf({ workspaceId });
  expect(await store().remember(scope, 201, { sealed: 'first' })).toBe(true);
  expect(await store().remember(scope, 201, { sealed: 'second' })).toBe(false);
  expect(await store().find(scope)).toMatchObject({ body: { sealed: 'first' } });
});

test('the version before goes on remembering beside the new schema', async () => {
  const scope = scopeOf();
  expect(await rememberInPreviousVersion(scope)).toBe(1);
  expect(await rememberInPreviousVersion(scope)).toBe(0);
  expect(await store().find(scope)).toBeNull();
});
