import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createEndUserStore } from '../../db/accounts/end-user-store.ts';
import { createDatabase, type Database } from '../support/open-database.ts';
import type { Handle } from '../../db/postgres/connection.ts';
import { jsonb, text } from '../../db/postgres/shape.ts';
import { rowsOf } from '../../db/postgres/statement.ts';
import { AppError } from '../../domain/errors.ts';
import { newUuid } from '../../domain/ids.ts';
import { createEncryption } from '../../platform/encryption.ts';
import { doOnce, type OnceAnswer, type OnceWork } from '../../services/answer-once.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let testDatabase: TestDatabase;
let database: Database;
let organizationId: string;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 8 });
  organizationId = newUuid();
  await database.knex('organizations').insert({ id: organizationId, name: 'Test' });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

/** Registers an end user, who can be registered only once. */
async function register(transaction: Handle, user: string): Promise<string> {
  const made = await createEndUserStore(transaction).register(organizationId, user);
  if (made === null) throw new AppError('conflict', { reason: 'taken' });
  return user;
}

interface Request {
  user: string;
  key?: string;
  requestHash?: string;
}

type Overrides = Partial<OnceWork<string, undefined>>;

function post({ user, key, requestHash = 'hash' }: Request, overrides: Overrides = {}): Promise<OnceAnswer> {
  const scope = { organizationId, workspaceId: null, operation: 'register' };
  const make = (transaction: Handle) => register(transaction, user);
  const respond = (made: string) => ({ status: 201, body: { made } });
  const idempotency = key === undefined ? undefined : { key, requestHash };
  return doOnce({ knex: database.knex, scope, make, ...overrides }, { idempotency, respond });
}

const countOf = async (user: string): Promise<number> =>
  (await createEndUserStore(database.knex).find(organizationId, user)) === null ? 0 : 1;

/** Returns a function whose promises resolve when it was called this many times. */
function createBarrier(calls: number): () => Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let missing = calls;
  return () => {
    missing -= 1;
    if (missing === 0) resolve(undefined);
    return promise;
  };
}

describe('a POST with an idempotency key', () => {
  test('gives a retry the first answer, without another check', async () => {
    const request = { user: 'first', key: 'retry' };
    expect(await post(request)).toEqual({ status: 201, body: { made: 'first' }, replayed: false });
    const check = () => Promise.reject(new Error('checked again'));
    expect(await post(request, { check })).toEqual({ status: 201, body: { made: 'first' }, replayed: true });
  });

  test('refuses the key of another request', async () => {
    await post({ user: 'known', key: 'reused' });
    const other = post({ user: 'other', key: 'reused', requestHash: 'other' });
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect(await countOf('other')).toBe(0);
  });

  test('gives identical requests one answer when the first one takes the only place', async () => {
    const check = createBarrier(4);
    const request = { user: 'only', key: 'race' };
    const answers = await Promise.all(Array.from({ length: 4 }, () => post(request, { check })));
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(answers.map(({ body }) => body)).toEqual(Array(4).fill({ made: 'only' }));
  });

  test('refuses a request when a different one took the only place', async () => {
    await post({ user: 'taken', key: 'one' });
    await expect(post({ user: 'taken', key: 'two' })).rejects.toMatchObject({ options: { reason: 'taken' } });
  });

  test('stores nothing when the work fails, so that a retry does it', async () => {
    const request = { user: 'late', key: 'broken' };
    const make = async (transaction: Handle): Promise<string> => {
      await register(transaction, 'late');
      throw new Error('the process died');
    };
    await expect(post(request, { make })).rejects.toThrow('the process died');
    expect(await countOf('late')).toBe(0);
    expect(await post(request)).toMatchObject({ body: { made: 'late' }, replayed: false });
  });

  test('stores the answer encrypted when it shows a secret', async () => {
    const encryption = createEncryption({ currentKeyId: 'test', keys: new Map([['test', randomBytes(32)]]) });
    const request = { user: 'whsec_secret', key: 'sealed' };
    await post(request, { encryption });
    const rows = await rowsOf(
      database.knex,
      { json: jsonb<unknown>().orNull, sealed: text },
      'select json, sealed from remembered_answers where key = :key',
      { key: 'sealed' },
    );
    expect(rows).toEqual([{ json: null, sealed: expect.not.stringContaining('whsec_secret') }]);
    expect(await post(request, { encryption })).toMatchObject({
      body: { made: 'whsec_secret' },
      replayed: true,
    });
  });
});

test('a POST without an idempotency key does the work each time', async () => {
  await post({ user: 'repeated' });
  await expect(post({ user: 'repeated' })).rejects.toMatchObject({ options: { reason: 'taken' } });
});
