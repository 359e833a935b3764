import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type Database } from '../../../support/open-database.ts';
import { createVaultSecretStore } from '../../../../db/interns/vault-secret-store.ts';
import { createVaultStore } from '../../../../db/interns/vault-store.ts';
import { effectiveSecret, effectiveSecrets } from '../../../../domain/interns/effective-secrets.ts';
import { newUuid } from '../../../../domain/ids.ts';
import type { KnownIntern } from '../../../../domain/interns/intern.ts';
import { createEncryption } from '../../../../platform/encryption.ts';
import type { Principal } from '../../../../domain/principal.ts';
import { createVaultService } from '../../../../services/interns/vault/vault-service.ts';
import { createVaultMemory, type VaultMemory } from '../../../../services/interns/vault/vault-memory.ts';
import { addOrganization } from '../../../support/accounts.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { addIntern, addSecret, addVault, dropIntern, type VaultGateway } from '../../../support/vaults.ts';

const HOSTS = ['api.example.com'];
const encryption = { currentKeyId: 'test', keys: new Map([['test', randomBytes(32)]]) };

let testDatabase: TestDatabase;
let pool: pg.Pool;
let database: Database;
let scene: VaultGateway;
let reads: number;
let warnings: object[];
let memory: VaultMemory;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  pool = new pg.Pool({ connectionString: testDatabase.url, max: 2 });
  database = createDatabase({ url: testDatabase.url, poolMax: 2 });
});

afterAll(async () => {
  await pool.end();
  await database.close();
  await testDatabase.drop();
});

beforeEach(async () => {
  const config = { encryption, database: { url: testDatabase.url } } as never;
  const place = await addOrganization({ config, database: pool, organizationId: '', workspaceId: '' });
  scene = { ...place, config, database: pool };
  reads = 0;
  warnings = [];
  memory = rememberWith(encryption);
});

function rememberWith(config: typeof encryption): VaultMemory {
  const vaults = createVaultStore(database.knex);
  const secrets = createVaultSecretStore(database.knex);
  const counted = <Answer>(answer: Answer): Answer => {
    reads += 1;
    return answer;
  };
  return createVaultMemory({
    vaults: { ofWorkspace: (place) => counted(vaults.ofWorkspace(place)) },
    secrets: {
      versions: (vaultId) => counted(secrets.versions(vaultId)),
      sealedValue: (secret) => counted(secrets.sealedValue(secret)),
    },
    notices: { isConnected: () => true, heardUntilMs: () => Date.now() },
    encryption: createEncryption(config),
    logger: { warn: (facts: object) => void warnings.push(facts) } as never,
  });
}

async function newIntern(attachedVaultId: string | null = null): Promise<KnownIntern> {
  const intern = await addIntern(scene, attachedVaultId === null ? {} : { attachedVaultId });
  return { ...intern, attachedVaultId };
}

async function received(intern: KnownIntern, name: string) {
  const secret = effectiveSecret(await memory.vaultsOf(intern), name);
  return secret && [secret.scope, await memory.valueOf(secret)];
}

describe('the memory of vaults', () => {
  test('holds the secrets of all vaults of an intern after one read each', async () => {
    const lender = await newIntern();
    const intern = await newIntern(lender.vaultId);
    const workspace = await addVault(scene, scene);
    const before = await addVault(scene, { organizationId: scene.organizationId });
    for (const [vaultId, ...names] of [
      [intern.vaultId, 'a'],
      [lender.vaultId, 'a', 'b'],
      [workspace, 'a', 'b', 'c'],
      [before, 'a', 'b', 'c', 'd'],
    ] as const) {
      for (const name of names) await addSecret(scene, vaultId, name, { value: `${vaultId} ${name}` });
    }
    for (let round = 0; round < 2; round += 1) {
      expect(await received(intern, 'a')).toEqual(['intern', `${intern.vaultId} a`]);
      expect(await received(intern, 'b')).toEqual(['attached', `${lender.vaultId} b`]);
      expect(await received(intern, 'c')).toEqual(['workspace', `${workspace} c`]);
      expect(await received(intern, 'd')).toEqual(['workspace', `${before} d`]);
      expect(await received(intern, 'e')).toBeUndefined();
      expect(effectiveSecrets(await memory.vaultsOf(intern)).map(({ name }) => name)).toEqual([
        'a',
        'b',
        'c',
        'd',
      ]);
      // Four vaults, the list of the workspace's, and four values.
      expect(reads).toBe(9);
    }
  });

  test("returns a change after its notice, and a workspace's first secret too", async () => {
    const intern = await newIntern();
    expect(await received(intern, 'a')).toBeUndefined();
    const workspace = await addVault(scene, scene);
    await addSecret(scene, workspace, 'a', { hosts: HOSTS });
    memory.forget(`${workspace} ${scene.organizationId}/${scene.workspaceId}`);
    expect(await received(intern, 'a')).toEqual(['workspace', 'value of a']);
    await pool.query('delete from vault_secrets where vault_id = $1', [workspace]);
    memory.forget(workspace);
    expect(await received(intern, 'a')).toBeUndefined();
  });

  test('returns a secret of a vault without a workspace after its notice', async () => {
    const intern = await newIntern();
    expect(await received(intern, 'a')).toBeUndefined();
    const before = await addVault(scene, { organizationId: scene.organizationId });
    await addSecret(scene, before, 'a', { hosts: HOSTS });
    memory.forget(`${before} ${scene.organizationId}/`);
    expect(await received(intern, 'a')).toEqual(['workspace', 'value of a']);
  });

  test('reads nothing again after a notice of another vault', async () => {
    const intern = await newIntern();
    const other = await newIntern();
    await addSecret(scene, await addVault(scene, scene), 'a');
    await received(intern, 'a');
    const read = reads;
    memory.forget(other.vaultId);
    memory.forget(`${newUuid()} ${newUuid()}/${newUuid()}`);
    await received(intern, 'a');
    expect(reads).toBe(read);
  });

  test('refuses an intern whose lender is deleted until that vault is detached', async () => {
    const lender = await newIntern();
    const intern = await newIntern(lender.vaultId);
    expect(await received(intern, 'a')).toBeUndefined();
    await dropIntern(scene, lender);
    memory.forget(lender.vaultId);
    await expect(memory.vaultsOf(intern)).rejects.toMatchObject({
      code: 'not_found',
      options: { reason: 'attached_vault_unavailable' },
    });
    expect(await received({ ...intern, attachedVaultId: null }, 'a')).toBeUndefined();
    await expect(memory.vaultsOf(lender)).rejects.toMatchObject({ code: 'not_found', options: {} });
  });

  test('never returns the value of another version, and reads a replaced secret again', async () => {
    const intern = await newIntern();
    await addSecret(scene, intern.vaultId, 'a', { value: 'old' });
    const stale = effectiveSecret(await memory.vaultsOf(intern), 'a')!;
    await pool.query('delete from vault_secrets where vault_id = $1', [intern.vaultId]);
    await addSecret(scene, intern.vaultId, 'a', { value: 'new', hosts: HOSTS });
    await expect(memory.valueOf(stale)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await received(intern, 'a')).toEqual(['intern', 'new']);
  });

  test('answers 503 for a value that does not open, and logs the missing key', async () => {
    const intern = await newIntern();
    await addSecret(scene, intern.vaultId, 'a', { value: 'hidden-value' });
    memory = rememberWith({ currentKeyId: 'other', keys: new Map([['other', randomBytes(32)]]) });
    await expect(received(intern, 'a')).rejects.toMatchObject({ code: 'unavailable' });
    const read = reads;
    await expect(received(intern, 'a')).rejects.toMatchObject({ code: 'unavailable' });
    expect(reads).toBe(read);
    expect(warnings).toEqual([expect.objectContaining({ keyId: 'test' })]);
    // It may have been sealed again.
    memory.forget(intern.vaultId);
    await expect(received(intern, 'a')).rejects.toMatchObject({ code: 'unavailable' });
    expect(warnings).toHaveLength(2);
    expect(JSON.stringify(warnings)).not.toContain('hidden-value');
  });
});

test('a write of the service applies in its process without a notice', async () => {
  const intern = await newIntern();
  const service = createVaultService({
    knex: database.knex,
    encryption: createEncryption(encryption),
    logger: { warn: () => {} } as never,
    forgetVault: (notice) => memory.forget(notice),
  });
  const author = {
    principal: { ...scene, kind: 'regular', keyId: 1, keyHash: 'hash', label: 'label' } as Principal,
    client: { requestId: 'request' },
  };
  const put = (value: string) => service.putInWorkspace(author, { name: 'a', value, hosts: HOSTS });
  expect(await received(intern, 'a')).toBeUndefined();
  for (const value of ['first', 'second']) {
    await put(value);
    expect(await received(intern, 'a')).toEqual(['workspace', value]);
  }
  await service.deleteFromWorkspace(author, 'a');
  expect(await received(intern, 'a')).toBeUndefined();
});

describe('notices on sluice_vaults', () => {
  test('name each changed vault, and the place of a new or deleted one', async () => {
    const client = new pg.Client({ connectionString: testDatabase.url });
    await client.connect();
    const noticed: (string | undefined)[] = [];
    client.on('notification', ({ payload }) => noticed.push(payload));
    await client.query('listen sluice_vaults');
    const intern = await newIntern();
    await addSecret(scene, intern.vaultId, 'a');
    await pool.query('delete from vault_secrets where vault_id = $1', [intern.vaultId]);
    await dropIntern(scene, intern);
    const { organizationId, workspaceId } = scene;
    const workspace = await addVault(scene, scene);
    const before = await addVault(scene, { organizationId });
    await pool.query('delete from vaults where id = $1', [before]);
    // The server sends notices before the answer.
    await client.query('select 1');
    await client.end();
    expect(noticed).toEqual([
      intern.vaultId,
      intern.vaultId,
      intern.vaultId,
      `${workspace} ${organizationId}/${workspaceId}`,
      `${before} ${organizationId}/`,
      `${before} ${organizationId}/`,
    ]);
  });
});
