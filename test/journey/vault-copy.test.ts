import { describe, expect, test } from '@jest/globals';
import { auditRows } from '../support/audit.ts';
import { errorOf } from '../support/caller.ts';
import type { Gateway } from '../support/gateway.ts';
import { raiseObstacle } from '../support/obstacle.ts';
import {
  namesOf,
  OWN_HOSTS,
  pageOf,
  putSecret,
  type VaultIntern,
  type VaultScene,
  useVaultScene,
  type WireSecret,
} from '../support/vault-scene.ts';
import { addSecret, addVault, storedValue } from '../support/vaults.ts';

let gateway: Gateway;
let scene: VaultScene;
let intern: VaultIntern;

useVaultScene(async (...opened) => {
  [gateway, scene] = opened;
  intern = await scene.intern();
});

const copy = (names: unknown, caller = scene.regular): Promise<Response> =>
  caller.call('POST', `${intern.folder}/secrets/copy`, { body: { names } });

async function copied(names: string[]): Promise<WireSecret[]> {
  const response = await copy(names);
  expect(response.status).toBe(200);
  return ((await response.json()) as { data: WireSecret[] }).data;
}

const valueIn = (vaultId: string, name: string): Promise<string | undefined> =>
  storedValue(gateway, vaultId, name);

describe('POST /vault/interns/{id}/secrets/copy', () => {
  test("creates independent secrets in request order, with fingerprints of the intern's vault", async () => {
    await putSecret(scene.regular, '/vault', 'a', { value: 'one', hosts: ['a.example'] });
    const source = await putSecret(scene.regular, '/vault', 'b', { value: 'two' });
    const copies = await copied(['b', 'a']);
    expect(copies.map(({ name, hosts }) => [name, hosts])).toEqual([
      ['b', OWN_HOSTS],
      ['a', ['a.example']],
    ]);
    expect(copies[0]!.fingerprint).not.toBe(source.fingerprint);
    const same = await putSecret(scene.regular, intern.folder, 'c', { value: 'two' });
    expect(copies[0]!.fingerprint).toBe(same.fingerprint);
    await putSecret(scene.regular, '/vault', 'b', { value: 'three', hosts: ['c.example'] });
    await scene.regular.call('DELETE', '/vault/secrets/a');
    const { data } = await pageOf(scene.regular, `${intern.folder}/secrets`);
    expect(data).toEqual([copies[1], copies[0], same]);
    expect(await valueIn(intern.vaultId, 'b')).toBe('two');
  });

  test("replaces the intern's secrets like a PUT", async () => {
    const old = await putSecret(scene.regular, intern.folder, 'a', { value: 'old', hosts: ['old.example'] });
    await putSecret(scene.regular, '/vault', 'a', { value: 'new' });
    const [fresh] = await copied(['a']);
    expect(fresh).toEqual({ ...old, hosts: OWN_HOSTS, fingerprint: expect.any(String) });
    expect(await valueIn(intern.vaultId, 'a')).toBe('new');
  });

  test('copies secrets older than workspaces if they have hosts', async () => {
    const before = await addVault(gateway, { organizationId: scene.organizationId });
    await addSecret(gateway, before, 'a', { value: 'old', hosts: ['old.example'] });
    expect(await copied(['a'])).toMatchObject([{ name: 'a', hosts: ['old.example'] }]);
    expect(await valueIn(intern.vaultId, 'a')).toBe('old');
  });

  test('copies nothing and answers 404 naming every missing secret', async () => {
    await putSecret(scene.regular, '/vault', 'a');
    const error = await errorOf(await copy(['x1', 'a', 'x2']));
    expect(error).toMatchObject({ code: 404, message: 'Resource not found' });
    expect(error.metadata.issues).toEqual([
      { path: 'body.names.0', message: 'x1 is no secret of the workspace' },
      { path: 'body.names.2', message: 'x2 is no secret of the workspace' },
    ]);
    expect(await namesOf(scene.regular, `${intern.folder}/secrets`)).toEqual([]);
  });

  test('copies nothing and answers 409 for a secret without hosts', async () => {
    const before = await addVault(gateway, { organizationId: scene.organizationId });
    await addSecret(gateway, before, 'old');
    await putSecret(scene.regular, '/vault', 'a');
    const { code, metadata } = await errorOf(await copy(['a', 'old']));
    expect([code, metadata.reason, metadata.retryable]).toEqual([409, 'secret_without_hosts', false]);
    expect(metadata.issues?.map(({ path }) => path)).toEqual(['body.names.1']);
    expect(await namesOf(scene.regular, `${intern.folder}/secrets`)).toEqual([]);
  });

  test('answers 400 unless it gets 1 to 100 different names', async () => {
    const many = Array.from({ length: 101 }, (_, n) => `n${n}`);
    for (const names of [[], many, ['a', 'a'], ['A'], 'a', [7]]) {
      expect((await copy(names)).status).toBe(400);
    }
    expect((await scene.regular.call('POST', `${intern.folder}/secrets/copy`, { body: {} })).status).toBe(
      400,
    );
  });

  test('writes an audit entry for each copied secret', async () => {
    for (const name of ['a', 'b']) await putSecret(scene.regular, '/vault', name);
    await copied(['a', 'b']);
    for (const name of ['a', 'b']) {
      const rows = await auditRows(gateway, `vault/interns/${intern.id}/secrets/${name}`);
      expect(rows).toMatchObject([{ action: 'copyVaultSecretsToIntern', key_hash: scene.key.hash }]);
    }
  });

  test("accepts the intern's own key", async () => {
    await putSecret(scene.regular, '/vault', 'a');
    expect((await copy(['a'], await scene.callerOf(intern))).status).toBe(200);
  });

  test('copies all secrets or none when one is deleted at the same time', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `n${n}`);
    for (const name of names) await putSecret(scene.regular, '/vault', name);
    // Both wait for the same lock, in whichever order they come.
    const obstacle = await raiseObstacle(gateway, gateway.config.database.url);
    await obstacle.table('vault_secrets');
    const both = [copy(names), scene.regular.call('DELETE', '/vault/secrets/n10')] as const;
    await obstacle.met('vault_secrets');
    await obstacle.lift();
    const [answer, deletion] = await Promise.all(both);
    expect(deletion.status).toBe(204);
    const held = await namesOf(scene.regular, `${intern.folder}/secrets`);
    expect([answer.status, held.length]).toEqual(answer.status === 200 ? [200, 20] : [404, 0]);
    expect((await copy(names)).status).toBe(404);
  });
});
