import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAccountStore } from '../../../../db/accounts/account-store.ts';
import {
  createApiKeyStore,
  type ApiKeyRecord,
  type NewApiKey,
} from '../../../../db/accounts/api-key-store.ts';
import { createDatabase, type Database } from '../../../support/open-database.ts';
import { newUuid } from '../../../../domain/ids.ts';
import { newToken } from '../../../../services/accounts/identity/key-token.ts';
import { createKeyVerifier } from '../../../../services/accounts/identity/key-verifier.ts';
import { unknownKeysOver } from '../../../support/unknown-keys.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';

let testDatabase: TestDatabase;
let database: Database;
const place = { organizationId: newUuid(), workspaceId: newUuid() };

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 2 });
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
    name: 'Test',
    slug: 'test',
    isDefault: true,
    defaultCallbackUrl: null,
    createdBy: null,
  });
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

async function addKey(facts: Partial<NewApiKey> = {}): Promise<{ token: string; hash: string }> {
  const { token, hash, label } = newToken();
  const key: NewApiKey = { hash, label, name: 'A key', kind: 'regular', ...place, ...facts };
  await createApiKeyStore(database.knex).insert(key);
  return { token, hash };
}

function disable(hash: string): Promise<boolean> {
  return createApiKeyStore(database.knex).setDisabled(place.organizationId, hash, true);
}

/** A verifier over the real store, with a clock to set, and each read counted and, when asked, held back. */
function setUp() {
  const control = { nowMs: Date.now(), listening: true, reads: 0, holdAnswer: Promise.resolve() };
  const keys = createApiKeyStore(database.knex);
  const store = {
    async findByHash(hash: string): Promise<ApiKeyRecord | null> {
      const { holdAnswer } = control;
      const key = await keys.findByHash(hash);
      control.reads += 1;
      await holdAnswer;
      return key;
    },
  };
  const verifier = createKeyVerifier({
    store,
    unknownStore: store,
    unknownKeys: unknownKeysOver(database.knex),
    notices: { isConnected: () => control.listening, heardUntilMs: () => -Infinity },
    now: () => control.nowMs,
  });
  const verify = (token: string) => verifier.verify(token, () => '203.0.113.1');
  return { control, verifier: { ...verifier, verify } };
}

describe('the key verifier', () => {
  test('reads a key once for any number of concurrent and later calls', async () => {
    const { control, verifier } = setUp();
    const { token, hash } = await addKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => verifier.verify(token)));
    expect(new Set(answers.map((answer) => answer?.keyHash))).toEqual(new Set([hash]));
    await verifier.verify(token);
    expect(control.reads).toBe(1);
  });

  test('returns the organization, workspace, kind and identity subject of a key', async () => {
    const { verifier } = setUp();
    const { token } = await addKey({ kind: 'management', identitySubject: 'person-1' });
    expect(await verifier.verify(token)).toMatchObject({
      ...place,
      kind: 'management',
      identitySubject: 'person-1',
    });
  });

  test('reads a key again after 30 s', async () => {
    const { control, verifier } = setUp();
    const { token } = await addKey();
    await verifier.verify(token);
    control.nowMs += 29_999;
    await verifier.verify(token);
    expect(control.reads).toBe(1);
    control.nowMs += 1;
    await verifier.verify(token);
    expect(control.reads).toBe(2);
  });

  test('reads a known key again after 1 s while no change notices arrive', async () => {
    const { control, verifier } = setUp();
    const { token, hash } = await addKey();
    await verifier.verify(token);
    await disable(hash);
    control.listening = false;
    control.nowMs += 999;
    expect(await verifier.verify(token)).not.toBeNull();
    control.nowMs += 1;
    expect(await verifier.verify(token)).toBeNull();
  });

  test('refuses a key from its expiry on, without a second read', async () => {
    const { control, verifier } = setUp();
    const { token } = await addKey({ expiresAt: new Date(control.nowMs + 5_000) });
    expect(await verifier.verify(token)).not.toBeNull();
    control.nowMs += 5_000;
    expect(await verifier.verify(token)).toBeNull();
    expect(control.reads).toBe(1);
  });

  test('reads a key again after forget or forgetAll', async () => {
    const { control, verifier } = setUp();
    const [one, other] = [await addKey(), await addKey()];
    const verifyBoth = () => Promise.all([verifier.verify(one.token), verifier.verify(other.token)]);
    await verifyBoth();
    await disable(one.hash);
    verifier.forget(one.hash);
    expect((await verifyBoth()).map((answer) => answer === null)).toEqual([true, false]);
    expect(control.reads).toBe(3);
    await disable(other.hash);
    verifier.forgetAll();
    expect(await verifyBoth()).toEqual([null, null]);
  });
});

describe('a change notice during a read', () => {
  test.each(['forget', 'forgetAll'] as const)(
    'sent by %s keeps the old row out of the cache',
    async (how) => {
      const { control, verifier } = setUp();
      const { token, hash } = await addKey();
      const release = Promise.withResolvers<void>();
      control.holdAnswer = release.promise;
      const early = verifier.verify(token);
      while (control.reads === 0) await new Promise((resolve) => setImmediate(resolve));
      // The read has seen the old row; what it answers must not outlive it.
      await disable(hash);
      verifier[how](hash);
      control.holdAnswer = Promise.resolve();
      expect(await verifier.verify(token)).toBeNull();
      release.resolve();
      await early;
      expect(await verifier.verify(token)).toBeNull();
    },
  );
});

describe('the key verifier with a bad token', () => {
  test('refuses a malformed token without a database read', async () => {
    const { control, verifier } = setUp();
    for (const token of ['', 'x', `sk-slc-${'a'.repeat(42)}`, `sk-slc-${'é'.repeat(43)}`]) {
      expect(await verifier.verify(token)).toBeNull();
    }
    expect(control.reads).toBe(0);
  });

  test('accepts a token whose key is inserted after the first attempt', async () => {
    const { verifier } = setUp();
    const { token, hash, label } = newToken();
    expect(await verifier.verify(token)).toBeNull();
    await createApiKeyStore(database.knex).insert({ hash, label, name: 'Late', kind: 'regular', ...place });
    expect(await verifier.verify(token)).not.toBeNull();
  });

  test('throws the error of a failed read and accepts the key on retry', async () => {
    const { control, verifier } = setUp();
    const { token } = await addKey();
    control.holdAnswer = Promise.reject(new Error('the database is away'));
    await expect(verifier.verify(token)).rejects.toThrow('the database is away');
    control.holdAnswer = Promise.resolve();
    expect(await verifier.verify(token)).not.toBeNull();
  });
});
