import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type Database, type Handle } from '../../../support/open-database.ts';
import type { Principal } from '../../../../domain/principal.ts';
import { createSecretLists } from '../../../../services/interns/vault/list-secrets.ts';
import { addOrganization } from '../../../support/accounts.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { watched } from '../../../support/handles.ts';
import { addIntern, addSecret, addVault, type VaultGateway } from '../../../support/vaults.ts';

let testDatabase: TestDatabase;
let pool: pg.Pool;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  pool = new pg.Pool({ connectionString: testDatabase.url, max: 1 });
  database = createDatabase({ url: testDatabase.url, poolMax: 1 });
});

afterAll(async () => {
  await pool.end();
  await database.close();
  await testDatabase.drop();
});

/** Runs the change before each statement that reads a page. */
function changingBefore(change: () => Promise<unknown>): Handle {
  return watched(database.knex, async ({ text }, run) => {
    if (text.includes('asked (vault_id, name)')) await change();
    return run();
  });
}

test('a secret deleted during the listing leaves its place to the next vault', async () => {
  const encryption = { currentKeyId: 'test', keys: new Map([['test', randomBytes(32)]]) };
  const config = { encryption, database: { url: testDatabase.url } } as never;
  const place = await addOrganization({ config, database: pool, organizationId: '', workspaceId: '' });
  const scene: VaultGateway = { ...place, config, database: pool };
  const intern = await addIntern(scene);
  const workspace = await addVault(scene, scene);
  for (const vaultId of [intern.vaultId, workspace]) await addSecret(scene, vaultId, 'a');
  const handle = changingBefore(() =>
    pool.query('delete from vault_secrets where vault_id = $1', [intern.vaultId]),
  );
  const principal = { ...place, kind: 'regular' } as Principal;
  const { secrets } = await createSecretLists(handle).effectiveSecrets(principal, intern.id, {
    limit: 100,
    offset: 0,
  });
  expect(secrets.map(({ name, scope }) => [name, scope])).toEqual([['a', 'workspace']]);
});
