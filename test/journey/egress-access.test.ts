import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { request } from 'node:http';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import { createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { type EgressScene, HOST, startEgressScene, WITH_KEY } from '../support/egress-scene.ts';
import { eventually } from '../support/eventually.ts';
import { addIntern, addSecret, addVault, dropIntern } from '../support/vaults.ts';

let scene: EgressScene;
/** Tokens by the kind of caller. */
const keys: Record<string, string> = {};

beforeAll(async () => {
  scene = await startEgressScene();
  const { gateway } = scene;
  const workspace = await addWorkspace(gateway);
  const organization = await addOrganization(gateway);
  const other = await addIntern(gateway);
  await gateway.database.query(`update organizations set entitlements = '{interns}' where id = $1`, [
    organization.organizationId,
  ]);
  keys['regular'] = gateway.apiKey;
  keys['management'] = gateway.managementKey;
  keys['another intern'] = (await addKey(gateway, { kind: 'intern', internId: other.id })).token;
  keys['another workspace'] = (await addKey(gateway, workspace)).token;
  keys['another organization'] = (await addKey(gateway, organization)).token;
});
afterAll(() => scene.close());
beforeEach(() => {
  scene.host.requests.length = 0;
});

describe('the key of an egress request', () => {
  test.each([
    ['regular', 403, 'intern_key_required'],
    ['management', 403, 'intern_key_required'],
    ['another intern', 404, 'not_found'],
    ['another workspace', 404, 'not_found'],
    ['another organization', 404, 'not_found'],
    ['unknown', 401, 'invalid_credential'],
  ])('fails, and nothing is sent, if it is the key: %s', async (who, status, reason) => {
    const error = await errorOf(
      await scene.send('POST', '/', { key: keys[who] ?? 'sk-slc-unknown', body: 'x' }),
    );
    expect(error).toMatchObject({ code: status, metadata: { reason } });
    expect(scene.host.requests).toEqual([]);
  });

  test('fails with 403 on a regional host, and nothing is sent', async () => {
    const { hostname } = new URL(scene.gateway.config.http.publicUrl);
    const url = new URL(
      `/api/v1/interns/${scene.intern.id}/egress/https/${scene.host.at()}/`,
      scene.gateway.origin,
    );
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        host: `eu.${hostname}`,
        'sluice-authorization': `Bearer ${scene.key.token}`,
        authorization: '{{secret:key}}',
      };
      request(url, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .once('error', reject)
        .end();
    });
    expect(status).toBe(403);
    expect(scene.host.requests).toEqual([]);
  });

  test('fails with 401 if it is in a header for the host', async () => {
    const headers = {
      'sluice-authorization': '',
      authorization: `Bearer ${scene.key.token}`,
      a: '{{secret:key}}',
    };
    expect((await scene.send('GET', '/', { headers })).status).toBe(401);
  });
});

test('an organization outside the programme gets 404 for egress and for its log', async () => {
  const { gateway, host } = scene;
  const place = await addOrganization(gateway);
  const intern = await addIntern(gateway, place);
  const { token } = await addKey(gateway, { ...place, kind: 'intern', internId: intern.id });
  await addSecret(gateway, intern.vaultId, 'key', { hosts: [HOST] });
  const send = () =>
    fetch(`${gateway.origin}/api/v1/interns/${intern.id}/egress/https/${host.at()}/`, {
      headers: { 'sluice-authorization': `Bearer ${token}`, ...WITH_KEY },
    });
  const readLog = () => createCaller(gateway.origin, token).call('GET', `/interns/${intern.id}/egress-log`);
  expect([(await send()).status, (await readLog()).status]).toEqual([404, 404]);
  expect(host.requests).toEqual([]);
  await gateway.database.query(`update organizations set entitlements = '{interns}' where id = $1`, [
    place.organizationId,
  ]);
  // Only the programme was missing.
  await eventually('the programme', async () => ((await send()).status === 200 ? true : undefined));
  expect((await readLog()).status).toBe(200);
});

describe('GET /interns/{id}/egress-log', () => {
  const read = (key: string, id = scene.intern.id) =>
    createCaller(scene.gateway.origin, key).call('GET', `/interns/${id}/egress-log`);

  test.each([
    ['regular', 200],
    ['management', 200],
    ['another intern', 404],
    ['another workspace', 404],
    ['another organization', 404],
    ['unknown', 401],
  ])('answers by key: %s → %i', async (who, status) => {
    expect((await read(keys[who] ?? 'sk-slc-unknown')).status).toBe(status);
  });

  test("answers 200 to the intern's own key", async () => {
    expect((await read(scene.key.token)).status).toBe(200);
  });

  test('answers for a hidden intern with the same bytes as for an unknown one', async () => {
    const [hidden, unknown, malformed] = await Promise.all([
      read(keys['another workspace']!).then(visibleParts),
      read(keys['another workspace']!, crypto.randomUUID()).then(visibleParts),
      read(keys['another workspace']!, 'no-id').then(visibleParts),
    ]);
    expect(unknown).toEqual(hidden);
    expect(malformed).toEqual(hidden);
  });
});

describe('the vaults of an intern', () => {
  const authorizationOf = (index = -1) => scene.host.requests.at(index)?.headers['authorization'];

  async function newIntern(facts: { attachedVaultId?: string } = {}) {
    const intern = await addIntern(scene.gateway, facts);
    const { token } = await addKey(scene.gateway, { kind: 'intern', internId: intern.id });
    const send = (name: string, host = scene.host.at()) =>
      fetch(`${scene.gateway.origin}/api/v1/interns/${intern.id}/egress/https/${host}/`, {
        headers: { 'sluice-authorization': `Bearer ${token}`, authorization: `{{secret:${name}}}` },
      });
    return { intern, token, send };
  }

  test("apply in the order intern, attached, workspace, with the winner's hosts", async () => {
    const { gateway } = scene;
    const hosts = ['api.host.localhost'];
    const lender = await addIntern(gateway);
    const workspaceVault = await addVault(gateway, gateway);
    for (const name of ['a', 'b', 'c', 'd'])
      await addSecret(gateway, workspaceVault, name, { value: `w-${name}`, hosts });
    for (const name of ['a', 'b'])
      await addSecret(gateway, lender.vaultId, name, { value: `l-${name}`, hosts });
    const { intern, send } = await newIntern({ attachedVaultId: lender.vaultId });
    await addSecret(gateway, intern.vaultId, 'a', { value: 'own-a', hosts });
    await addSecret(gateway, intern.vaultId, 'd', { value: 'own-d', hosts: ['elsewhere.example'] });
    const received: unknown[] = [];
    for (const name of ['a', 'b', 'c']) {
      expect((await send(name)).status).toBe(200);
      received.push(authorizationOf());
    }
    expect(received).toEqual(['own-a', 'l-b', 'w-c']);
    expect((await send('d')).status).toBe(403);
    await dropIntern(gateway, lender);
    const error = await eventually('the end of the lender', async () => {
      const response = await send('c');
      return response.status === 200 ? undefined : errorOf(response);
    });
    expect(error).toMatchObject({ code: 404, metadata: { reason: 'attached_vault_unavailable' } });
  });

  test('allow every host for a secret without hosts', async () => {
    const { intern, send } = await newIntern();
    await addSecret(scene.gateway, intern.vaultId, 'old', { value: 'old-value', hosts: null });
    expect((await send('old', scene.host.at('anything.host.localhost'))).status).toBe(200);
    expect(authorizationOf()).toBe('old-value');
  });

  test("yield 404 and send nothing after the intern's deletion", async () => {
    const { intern, send } = await newIntern();
    await addSecret(scene.gateway, intern.vaultId, 'a', { hosts: ['api.host.localhost'] });
    expect((await send('a')).status).toBe(200);
    await dropIntern(scene.gateway, intern);
    scene.host.requests.length = 0;
    // The key is still known here: only the entry in the log finds the intern gone.
    expect((await send('a')).status).toBe(404);
    expect(scene.host.requests).toEqual([]);
  });

  test("send nothing after the first refusal during the intern's deletion", async () => {
    const { intern, token } = await newIntern();
    await addSecret(scene.gateway, intern.vaultId, 'a', { hosts: [HOST] });
    const url = `${scene.gateway.origin}/api/v1/interns/${intern.id}/egress/https/${scene.host.at()}/`;
    const statusOf = async (sender: string): Promise<number> => {
      const headers = {
        'sluice-authorization': `Bearer ${token}`,
        'x-sender': sender,
        authorization: '{{secret:a}}',
      };
      const response = await fetch(url, { headers });
      await response.arrayBuffer();
      return response.status;
    };
    const underWay = Promise.withResolvers<void>();
    const sending = ['a', 'b', 'c', 'd'].map(async (sender) => {
      const statuses: number[] = [];
      do {
        statuses.push(await statusOf(sender));
        underWay.resolve();
      } while (statuses.at(-1) === 200);
      for (let n = 0; n < 5; n += 1) statuses.push(await statusOf(sender));
      return { sender, statuses };
    });
    await underWay.promise;
    const manager = createCaller(scene.gateway.origin, scene.gateway.managementKey);
    expect((await manager.call('DELETE', `/interns/${intern.id}`)).status).toBe(202);
    for (const { sender, statuses } of await Promise.all(sending)) {
      const sent = statuses.filter((status) => status === 200);
      expect(statuses.slice(sent.length).filter((status) => ![401, 404].includes(status))).toEqual([]);
      const received = scene.host.requests.filter(({ headers }) => headers['x-sender'] === sender);
      expect(received).toHaveLength(sent.length);
    }
  });

  test('yield 503 for a value that cannot be decrypted', async () => {
    const { intern, send } = await newIntern();
    await addSecret(scene.gateway, intern.vaultId, 'good', { hosts: ['api.host.localhost'] });
    await addSecret(scene.gateway, intern.vaultId, 'bad', { hosts: ['api.host.localhost'] });
    await scene.gateway.database.query(
      `update vault_secrets set sealed_value = replace(sealed_value, 'test', 'lost') where vault_id = $1 and name = 'bad'`,
      [intern.vaultId],
    );
    expect((await send('good')).status).toBe(200);
    expect((await send('bad')).status).toBe(503);
    expect(scene.host.requests).toHaveLength(1);
  });
});
