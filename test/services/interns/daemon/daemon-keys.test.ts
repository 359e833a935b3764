import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { createDatabase, type Database } from '../../../support/open-database.ts';
import { createDaemonKeyStore } from '../../../../db/interns/daemon-key-store.ts';
import { createEncryption } from '../../../../platform/encryption.ts';
import { createDaemonKeys, type DaemonKeys } from '../../../../services/interns/daemon/daemon-keys.ts';
import { ensureDaemonKeys } from '../../../../services/interns/daemon/rotate-daemon-keys.ts';
import { createMigratedDatabase, type TestDatabase } from '../../../support/database.ts';
import { reporting } from '../../../support/handles.ts';

const PROCESSES = 8;
const encryption = createEncryption({ currentKeyId: 'test', keys: new Map([['test', randomBytes(32)]]) });
const notices = { isConnected: () => true, heardUntilMs: () => Date.now() };

let testDatabase: TestDatabase;
let database: Database;
let statements: number;

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: PROCESSES });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});
beforeEach(async () => {
  await database.knex('daemon_signing_keys').delete();
  statements = 0;
});

function rememberKeys(): DaemonKeys {
  const knex = reporting(database.knex, () => (statements += 1));
  const store = createDaemonKeyStore(knex);
  return createDaemonKeys({
    store,
    ensure: () => ensureDaemonKeys({ knex, encryption }),
    encryption,
    notices,
  });
}

test('eight processes that start at once make one key', async () => {
  const rings = await Promise.all(Array.from({ length: PROCESSES }, async () => rememberKeys().ring()));
  const signatures = new Set(rings.map((ring) => ring.sign('text')));
  expect(signatures.size).toBe(1);
  expect(await createDaemonKeyStore(database.knex).list()).toHaveLength(1);
});

test('a thousand signatures need no statement, and forgotten keys need one', async () => {
  const keys = rememberKeys();
  await keys.ring();
  const before = statements;
  for (let n = 0; n < 1_000; n += 1) (await keys.ring()).sign(`${n}`);
  expect(statements).toBe(before);
  keys.forgetAll();
  await Promise.all([keys.ring(), keys.ring()]);
  expect(statements).toBe(before + 1);
});
