import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type Database } from '../support/open-database.ts';
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

test('a remembered answer is found in its own workspace only', async () => {
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
