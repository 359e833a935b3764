import { describe, expect, test } from '@jest/globals';
import { auditRows } from '../support/audit.ts';
import { errorOf } from '../support/caller.ts';
import type { Gateway } from '../support/gateway.ts';
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
import { addSecret, addVault, fingerprintOf } from '../support/vaults.ts';

let gateway: Gateway;
let scene: VaultScene;
let intern: VaultIntern;

useVaultScene(async (...opened) => {
  [gateway, scene] = opened;
  intern = await scene.intern();
});

const KINDS = [
  ['the workspace', () => '/vault'],
  ['an intern', () => `/vault/interns/${intern.id}`],
] as const;

describe.each(KINDS)('secrets of %s', (_kind, folder) => {
  test('support storing, listing by name and deleting, and never show the value', async () => {
    const { regular } = scene;
    const stored = await putSecret(regular, folder(), 'b_key', { value: 'value-of-b' });
    expect(stored).toEqual({
      name: 'b_key',
      hosts: OWN_HOSTS,
      fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      created_at: expect.stringMatching(/Z$/),
    });
    const other = await putSecret(regular, folder(), 'a1', { value: 'value-of-a' });
    expect(await pageOf(regular, `${folder()}/secrets`)).toEqual({ data: [other, stored], has_more: false });
    const response = await regular.call('DELETE', `${folder()}/secrets/a1`);
    expect([response.status, await response.text()]).toEqual([204, '']);
    expect(await namesOf(regular, `${folder()}/secrets`)).toEqual(['b_key']);
    expect((await regular.call('DELETE', `${folder()}/secrets/a1`)).status).toBe(404);
  });

  test('keep their time when replaced, and change fingerprint only with the value', async () => {
    const first = await putSecret(scene.regular, folder(), 'a', { value: 'one' });
    const again = await putSecret(scene.regular, folder(), 'a', { value: 'one', hosts: ['other.example'] });
    expect(again).toEqual({ ...first, hosts: ['other.example'] });
    const changed = await putSecret(scene.regular, folder(), 'a', { value: 'two' });
    expect(changed).toEqual({ ...first, fingerprint: expect.not.stringContaining(first.fingerprint!) });
    expect((await putSecret(scene.regular, folder(), 'b', { value: 'two' })).fingerprint).toBe(
      changed.fingerprint,
    );
    expect(await namesOf(scene.regular, `${folder()}/secrets`)).toEqual(['a', 'b']);
  });

  test('store each host once, in normal spelling', async () => {
    const hosts = ['API.Example.com.', 'api.example.com', 'localhost', 'xn--bcher-kva.example'];
    const { hosts: stored } = await putSecret(scene.regular, folder(), 'a', { hosts });
    expect(stored).toEqual(['api.example.com', 'localhost', 'xn--bcher-kva.example']);
  });

  test('page in the order of bytes', async () => {
    for (const name of ['ab', 'a1', 'a_b', 'b', 'a']) await putSecret(scene.regular, folder(), name);
    const path = `${folder()}/secrets`;
    expect(await namesOf(scene.regular, path)).toEqual(['a', 'a1', 'a_b', 'ab', 'b']);
    for (const [query, names, hasMore] of [
      ['limit=2', ['a', 'a1'], true],
      ['limit=2&offset=3', ['ab', 'b'], false],
      ['limit=1&offset=3', ['ab'], true],
      ['offset=10000', [], false],
    ] as const) {
      const page = await pageOf(scene.regular, `${path}?${query}`);
      expect([page.data.map(({ name }) => name), page.has_more]).toEqual([names, hasMore]);
    }
    for (const query of ['limit=0', 'limit=101', 'offset=-1', 'offset=10001', 'limit=x', 'limit=']) {
      expect((await scene.regular.call('GET', `${path}?${query}`)).status).toBe(400);
    }
  });

  test('write an audit entry for each write, naming the secret without its value', async () => {
    await putSecret(scene.regular, folder(), 'a');
    await scene.manager.call('DELETE', `${folder()}/secrets/a`);
    await scene.regular.call('DELETE', `${folder()}/secrets/a`);
    const place = folder() === '/vault' ? `workspaces/${scene.workspaceId}/vault` : folder().slice(1);
    const rows = await auditRows(gateway, `${place}/secrets/a`);
    const noun = folder() === '/vault' ? 'VaultSecret' : 'InternVaultSecret';
    expect(rows.map(({ action }) => action)).toEqual([`store${noun}`, `delete${noun}`]);
    expect(rows[0]).toMatchObject({
      organization_id: scene.organizationId,
      key_hash: scene.key.hash,
      request_id: expect.stringMatching(/^req_/),
    });
  });

  test('answer 400 naming the field when name, value or hosts break a rule', async () => {
    const good = { value: 'x', hosts: OWN_HOSTS };
    const tooMany = Array.from({ length: 101 }, (_, n) => `h${n}.example`);
    const put = (body: unknown, name = 'a') =>
      scene.regular.call('PUT', `${folder()}/secrets/${name}`, { body });
    for (const [body, path] of [
      [{ hosts: OWN_HOSTS }, 'body.value'],
      [{ ...good, value: '' }, 'body.value'],
      [{ ...good, value: 'x'.repeat(65_537) }, 'body.value'],
      [{ ...good, value: 'a\0b' }, 'body.value'],
      [{ ...good, value: 'a\ud800b' }, 'body.value'],
      [{ ...good, value: 7 }, 'body.value'],
      [{ value: 'x' }, 'body.hosts'],
      [{ ...good, hosts: [] }, 'body.hosts'],
      [{ ...good, hosts: tooMany }, 'body.hosts'],
      ...[
        '*.example.com',
        'bücher.example',
        '10.0.0.1',
        '0x7f.1',
        '[::1]',
        'https://a.example',
        'a.example:443',
      ].map((host) => [{ ...good, hosts: ['ok.example', host] }, 'body.hosts.1'] as const),
    ] as const) {
      const error = await errorOf(await put(body));
      expect([error.code, error.metadata.issues?.map((issue) => issue.path)]).toEqual([400, [path]]);
    }
    for (const name of ['A', 'a-b', 'a__b', 'a_', '_a', '1a', 'a%0Ab', 'a'.repeat(256)]) {
      const { code, metadata } = await errorOf(await put(good, name));
      expect([code, metadata.issues?.map(({ path }) => path)]).toEqual([400, ['params.name']]);
      expect((await scene.regular.call('DELETE', `${folder()}/secrets/${name}`)).status).toBe(400);
    }
    expect(await namesOf(scene.regular, `${folder()}/secrets`)).toEqual([]);
  });

  test('accept the longest name, value and list of hosts', async () => {
    const name = 'a'.repeat(255);
    // A character beyond 16 bits counts once.
    const value = '\u{1f511}'.repeat(65_536);
    const hosts = Array.from({ length: 100 }, (_, n) => `h${n}.example`);
    expect(await putSecret(scene.regular, folder(), name, { value, hosts })).toMatchObject({ name, hosts });
    expect(await putSecret(scene.regular, folder(), 'copy')).toMatchObject({ name: 'copy' });
  });
});

describe('the fingerprint of a value', () => {
  test('uses a key of its vault, so equal values in two vaults differ', async () => {
    const value = 'shared';
    const inWorkspace = await putSecret(scene.regular, '/vault', 'a', { value });
    const inIntern = await putSecret(scene.regular, `/vault/interns/${intern.id}`, 'a', { value });
    expect(inIntern.fingerprint).toBe(await fingerprintOf(gateway, intern.vaultId, value));
    expect(inWorkspace.fingerprint).not.toBe(inIntern.fingerprint);
  });
});

describe('secrets older than workspaces', () => {
  test('appear in the default workspace only, after its own secrets of the same name', async () => {
    const { organizationId, regular } = scene;
    const before = await addVault(gateway, { organizationId });
    await addSecret(gateway, before, 'a');
    await addSecret(gateway, before, 'old', { hosts: ['old.example'] });
    const stored = await putSecret(regular, '/vault', 'new');
    await addSecret(gateway, before, 'new');
    const legacy = { fingerprint: null, created_at: expect.any(String) };
    expect((await pageOf(regular, '/vault/secrets')).data).toEqual([
      { name: 'a', hosts: null, ...legacy },
      stored,
      { name: 'old', hosts: ['old.example'], ...legacy },
    ]);
    const other = await addVaultWorkspace(gateway, scene);
    expect(await namesOf(other.regular, '/vault/secrets')).toEqual([]);
    const stranger = await openVaultScene(gateway);
    expect(await namesOf(stranger.regular, '/vault/secrets')).toEqual([]);
  });

  test('keep their time when replaced by PUT, and stay deleted', async () => {
    const { organizationId, regular } = scene;
    const before = await addVault(gateway, { organizationId });
    await addSecret(gateway, before, 'a');
    const [old] = (await pageOf(regular, '/vault/secrets')).data;
    const replaced = await putSecret(regular, '/vault', 'a');
    expect(replaced).toEqual({
      ...old,
      hosts: OWN_HOSTS,
      fingerprint: expect.stringMatching(/^sha256:/),
    });
    expect((await pageOf(regular, '/vault/secrets')).data).toEqual([replaced]);
    // Another version may still have stored both.
    await addSecret(gateway, before, 'a');
    expect((await regular.call('DELETE', '/vault/secrets/a')).status).toBe(204);
    expect(await namesOf(regular, '/vault/secrets')).toEqual([]);
    await addSecret(gateway, before, 'b');
    expect((await regular.call('DELETE', '/vault/secrets/b')).status).toBe(204);
    expect((await regular.call('DELETE', '/vault/secrets/b')).status).toBe(404);
  });
});
