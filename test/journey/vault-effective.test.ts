import { describe, expect, test } from '@jest/globals';
import { type Caller, errorOf, visibleParts } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import type { Gateway } from '../support/gateway.ts';
import { createHostCaller } from '../support/host-caller.ts';
import {
  addVaultWorkspace,
  namesOf,
  openVaultScene,
  OWN_HOSTS,
  pageOf,
  putSecret,
  type VaultIntern,
  type VaultScene,
  useVaultScene,
} from '../support/vault-scene.ts';
import { addSecret, addVault } from '../support/vaults.ts';

let gateway: Gateway;
let scene: VaultScene;

useVaultScene((...opened) => ([gateway, scene] = opened));

const pathOf = ({ folder }: Pick<VaultIntern, 'folder'>, query = ''): string =>
  `${folder}/effective-secrets${query}`;

async function scopesOf(caller: Caller, intern: VaultIntern): Promise<Record<string, string | undefined>> {
  const { data } = await pageOf(caller, pathOf(intern));
  return Object.fromEntries(data.map(({ name, scope }) => [name, scope]));
}

/** Each title begins with the number of the rule that it checks. */
describe('effective secrets', () => {
  test("1: combine the intern's vault, the attached vault and the workspace, with older storage", async () => {
    const { regular, organizationId } = scene;
    const lender = await scene.intern();
    const intern = await scene.intern(lender);
    await putSecret(regular, intern.folder, 'own');
    await putSecret(regular, lender.folder, 'lent');
    await putSecret(regular, '/vault', 'shared');
    const before = await addVault(gateway, { organizationId });
    await addSecret(gateway, before, 'old');
    await addSecret(gateway, before, 'shared');
    const expected = { own: 'intern', lent: 'attached', shared: 'workspace', old: 'workspace' };
    expect(await scopesOf(regular, intern)).toEqual(expected);
    expect(await scopesOf(regular, lender)).toEqual({
      lent: 'intern',
      shared: 'workspace',
      old: 'workspace',
    });
  });

  test('2: take a name from the first of intern, attached vault and workspace', async () => {
    const { regular } = scene;
    const lender = await scene.intern();
    const intern = await scene.intern(lender);
    await putSecret(regular, '/vault', 'a', { hosts: ['workspace.example'] });
    expect((await pageOf(regular, pathOf(intern))).data).toMatchObject([
      { scope: 'workspace', hosts: ['workspace.example'] },
    ]);
    await putSecret(regular, lender.folder, 'a', { hosts: ['lender.example'] });
    expect((await pageOf(regular, pathOf(intern))).data).toMatchObject([
      { scope: 'attached', hosts: ['lender.example'] },
    ]);
    const own = await putSecret(regular, intern.folder, 'a', { hosts: ['intern.example'] });
    expect((await pageOf(regular, pathOf(intern))).data).toEqual([{ ...own, scope: 'intern' }]);
    await regular.call('DELETE', `${intern.folder}/secrets/a`);
    expect(await scopesOf(regular, intern)).toEqual({ a: 'attached' });
    await regular.call('DELETE', `/interns/${intern.id}/attached-vault`);
    expect(await scopesOf(regular, intern)).toEqual({ a: 'workspace' });
  });

  test('3: sort by the bytes of names across vaults and in pages', async () => {
    const { regular } = scene;
    const intern = await scene.intern();
    for (const name of ['b', 'a_b', 'ab']) await putSecret(regular, '/vault', name);
    for (const name of ['a1', 'b', 'a']) await putSecret(regular, intern.folder, name);
    expect(await namesOf(regular, pathOf(intern))).toEqual(['a', 'a1', 'a_b', 'ab', 'b']);
    for (const [query, names, hasMore] of [
      ['?limit=2', ['a', 'a1'], true],
      ['?limit=2&offset=3', ['ab', 'b'], false],
      ['?limit=2&offset=2', ['a_b', 'ab'], true],
      ['?offset=5', [], false],
    ] as const) {
      const page = await pageOf(regular, pathOf(intern, query));
      expect([page.data.map(({ name }) => name), page.has_more]).toEqual([names, hasMore]);
    }
    for (const query of ['?limit=0', '?limit=101', '?offset=-1', '?offset=10001', '?offset=1.5']) {
      expect((await regular.call('GET', pathOf(intern, query))).status).toBe(400);
    }
  });

  test('4: show metadata, with nulls for older secrets, and no value', async () => {
    const { regular } = scene;
    const intern = await scene.intern();
    await addSecret(gateway, intern.vaultId, 'old', { value: 'old-value' });
    const stored = await putSecret(regular, '/vault', 'new', { value: 'new-value' });
    const response = await regular.call('GET', pathOf(intern));
    const text = await response.text();
    expect(JSON.parse(text)).toEqual({
      data: [
        { ...stored, scope: 'workspace' },
        { name: 'old', hosts: null, fingerprint: null, created_at: expect.any(String), scope: 'intern' },
      ],
      has_more: false,
    });
    expect(text).not.toMatch(/old-value|new-value/);
  });

  test('5: answer 404 with its own reason when the lender is deleted, until detached', async () => {
    const { regular } = scene;
    const lender = await scene.intern();
    const intern = await scene.intern(lender);
    await putSecret(regular, intern.folder, 'own');
    expect((await regular.call('DELETE', `/interns/${lender.id}`)).status).toBe(202);
    const error = await errorOf(await regular.call('GET', pathOf(intern)));
    expect(error).toEqual({
      code: 404,
      message: 'Resource not found',
      metadata: { reason: 'attached_vault_unavailable', retryable: false },
    });
    expect(await namesOf(regular, `${intern.folder}/secrets`)).toEqual(['own']);
    await regular.call('DELETE', `/interns/${intern.id}/attached-vault`);
    expect(await scopesOf(regular, intern)).toEqual({ own: 'intern' });
  });

  test('6: answer 404, like all vault routes, to organizations without the entitlement', async () => {
    const outsider = await openVaultScene(gateway);
    const intern = await outsider.intern();
    for (const folder of ['/vault', intern.folder]) await putSecret(outsider.regular, folder, 'a');
    const setEntitlements = (entitlements: string) =>
      gateway.database.query('update organizations set entitlements = $1 where id = $2', [
        entitlements,
        outsider.organizationId,
      ]);
    const becomes = (expected: number) =>
      eventually('the change of the programme', async () => {
        const { status } = await outsider.regular.call('GET', '/vault/secrets');
        return status === expected ? true : undefined;
      });
    await setEntitlements('{}');
    await becomes(404);
    const unknown = await visibleParts(
      await scene.regular.call('GET', pathOf({ folder: '/vault/interns/x' })),
    );
    expect(unknown.status).toBe(404);
    for (const [method, path] of routesOf(intern)) {
      expect(await visibleParts(await outsider.regular.call(method, path))).toEqual(unknown);
    }
    await setEntitlements('{interns}');
    await becomes(200);
    expect(await scopesOf(outsider.regular, intern)).toEqual({ a: 'intern' });
  });

  test("7: belong to the key's active workspace and to no other", async () => {
    const intern = await scene.intern();
    await putSecret(scene.regular, '/vault', 'of_default');
    const other = await addVaultWorkspace(gateway, scene);
    await putSecret(other.regular, '/vault', 'of_other');
    const there = await other.intern();
    expect(await scopesOf(other.regular, there)).toEqual({ of_other: 'workspace' });
    expect(await scopesOf(scene.manager, intern)).toEqual({ of_default: 'workspace' });
    for (const [caller, foreign] of [
      [other.regular, intern],
      [other.manager, intern],
      [scene.manager, there],
      [(await openVaultScene(gateway)).manager, intern],
    ] as const) {
      expect((await caller.call('GET', pathOf(foreign))).status).toBe(404);
    }
  });

  test("8: allow the intern's own key and no other intern's key", async () => {
    const intern = await scene.intern();
    const other = await scene.intern();
    await putSecret(scene.regular, '/vault', 'shared');
    const own = await scene.callerOf(intern);
    expect(await scopesOf(own, intern)).toEqual({ shared: 'workspace' });
    expect(await namesOf(own, `${intern.folder}/secrets`)).toEqual([]);
    expect((await own.call('GET', pathOf(other))).status).toBe(404);
    expect((await own.call('GET', '/vault/secrets')).status).toBe(404);
  });

  test('9: answer 403 on regional hosts, like all vault routes', async () => {
    const intern = await scene.intern();
    const regional = createHostCaller(gateway.origin, scene.key.token, 'eu.gateway.example');
    for (const [method, path] of routesOf(intern)) {
      const response = await regional.call(method, path);
      expect([method, path, await errorOf(response)]).toEqual([
        method,
        path,
        {
          code: 403,
          message: 'Not available on regional hosts',
          metadata: { reason: 'regional_host_not_supported', retryable: false },
        },
      ]);
    }
  });

  test('answer 404 for an unknown id and 400 for an invalid page', async () => {
    for (const id of ['x', crypto.randomUUID(), `${crypto.randomUUID()}0`]) {
      const folder = `/vault/interns/${id}`;
      expect((await scene.regular.call('GET', pathOf({ folder }))).status).toBe(404);
      expect((await scene.regular.call('GET', pathOf({ folder }, '?limit=0'))).status).toBe(400);
    }
  });

  test("ignore the case of the intern's id", async () => {
    const intern = await scene.intern();
    await putSecret(scene.regular, intern.folder, 'a', { hosts: OWN_HOSTS });
    const folder = `/vault/interns/${intern.id.toUpperCase()}`;
    expect(await namesOf(scene.regular, pathOf({ folder }))).toEqual(['a']);
  });
});

describe('the connections of an intern', () => {
  test('return an empty list to every key that sees the intern', async () => {
    const intern = await scene.intern();
    for (const caller of [scene.regular, scene.manager, await scene.callerOf(intern)]) {
      const response = await caller.call('GET', `${intern.folder}/connections`);
      expect([response.status, await response.json()]).toEqual([200, { data: [] }]);
    }
    expect((await scene.regular.call('GET', '/vault/interns/x/connections')).status).toBe(404);
  });
});

/** Every route of vaults, without bodies: the gate is before them. */
function routesOf({ folder }: VaultIntern): [method: string, path: string][] {
  return [
    ['GET', '/vault/secrets'],
    ['PUT', '/vault/secrets/a'],
    ['DELETE', '/vault/secrets/a'],
    ['GET', `${folder}/secrets`],
    ['PUT', `${folder}/secrets/a`],
    ['DELETE', `${folder}/secrets/a`],
    ['POST', `${folder}/secrets/copy`],
    ['GET', `${folder}/effective-secrets`],
    ['GET', `${folder}/connections`],
  ];
}
