import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addWorkspace, type Place } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { addIntern as insertIntern, addSecret, addVault } from '../support/vaults.ts';

/**
 * Who may do what. The letter after a 403 names the refusal: k, an intern's key may not change its intern; m, only
 * management keys may; p, the key names no person; o, only the intern's own key may; r, not on regional hosts.
 *
 * `own` is the key of the intern that the path names, `sibling` that of another intern in the workspace. The keys of
 * the other workspace and of the other organization are regular ones. So is `outside`, the key of an organization that
 * left the programme: it asks for an intern of its own, so that only the gate hides it.
 */
const TABLE = `
                                                  nobody regular management own  sibling workspace organization outside regional
POST   /interns                                   401    201     201        404  404     201       201          404     403r
GET    /interns                                   401    200     200        404  404     200       200          404     403r
GET    /interns/ID                                401    200     200        200  404     404       404          404     403r
PATCH  /interns/ID                                401    200     200        403k 404     404       404          404     403r
DELETE /interns/ID                                401    202     202        403k 404     404       404          404     403r
PUT    /interns/ID/status                         401    403m    200        403m 404     404       404          404     403r
PUT    /interns/ID/attached-vault                 401    200     200        403k 404     404       404          404     403r
DELETE /interns/ID/attached-vault                 401    200     200        403k 404     404       404          404     403r
POST   /interns/ID/keys                           401    201     201        403k 404     404       404          404     403r
GET    /interns/ID/keys                           401    200     200        403k 404     404       404          404     403r
DELETE /interns/ID/keys/HASH                      401    200     200        403k 404     404       404          404     403r
POST   /interns/ID/daemon/sign                    401    200     403p       403p 404     404       404          404     403r
POST   /interns/ID/daemon-access/sign             401    200     403p       403p 404     404       404          404     403r
GET    /interns/daemon/jwks.json                  200    200     200        200  200     200       200          200     200
GET    /interns/ID/egress-log                     401    200     200        200  404     404       404          404     403r
GET    /interns/ID/egress/http/HOST/              401    403o    403o       200  404     404       404          404     403r
POST   /interns/ID/egress/http/HOST/              401    403o    403o       200  404     404       404          404     403r
PUT    /interns/ID/egress/http/HOST/              401    403o    403o       200  404     404       404          404     403r
PATCH  /interns/ID/egress/http/HOST/              401    403o    403o       200  404     404       404          404     403r
DELETE /interns/ID/egress/http/HOST/              401    403o    403o       200  404     404       404          404     403r
GET    /vault/secrets                             401    200     200        404  404     200       200          404     403r
PUT    /vault/secrets/shared                      401    200     200        404  404     200       200          404     403r
DELETE /vault/secrets/shared                      401    204     204        404  404     204       204          404     403r
GET    /vault/interns/ID/secrets                  401    200     200        200  404     404       404          404     403r
PUT    /vault/interns/ID/secrets/own              401    200     200        200  404     404       404          404     403r
DELETE /vault/interns/ID/secrets/own              401    204     204        204  404     404       404          404     403r
POST   /vault/interns/ID/secrets/copy             401    200     200        200  404     404       404          404     403r
GET    /vault/interns/ID/effective-secrets        401    200     200        200  404     404       404          404     403r
GET    /vault/interns/ID/connections              401    200     200        200  404     404       404          404     403r
`;

const REASONS = {
  k: 'intern_key_refused',
  m: 'management_key_required',
  p: 'personal_identity_required',
  o: 'intern_key_required',
  r: 'regional_host_not_supported',
} as const;

const [HEAD = '', ...LINES] = TABLE.trim().split('\n');
const CALLERS = HEAD.trim().split(/ +/);
const ROWS = LINES.map((line) => {
  const [method = '', path = '', ...cells] = line.split(/ +/);
  return { method, path, cells };
});

/** Less than the 15 seconds after which a process reads an entitlement again although no notice came. */
const HEARD_MS = 10_000;

interface Scene {
  internId: string;
  keyHash: string;
  siblingVaultId: string;
  /** By the name of the caller; undefined for nobody. */
  tokens: Record<string, string | undefined>;
}

let gateway: Gateway;
let host: Server;
let elsewhere: Record<'workspace' | 'organization', string>;
/** What requests share that change nothing. */
let unchanged: { inside: Scene; outside: Scene };

beforeAll(async () => {
  gateway = await startGateway({
    bootstrap: { entitlements: ['interns'], identitySubject: 'someone' },
  });
  host = createServer((_, response) => void response.end('here'));
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const [workspace, organization] = await Promise.all([addWorkspace(gateway), addOrganization(gateway)]);
  await gateway.database.query(`update organizations set entitlements = '{interns}' where id = $1`, [
    organization.organizationId,
  ]);
  const tokenIn = async (place: Place): Promise<string> => (await addKey(gateway, place)).token;
  elsewhere = {
    workspace: await tokenIn(workspace),
    organization: await tokenIn(organization),
  };
  for (const token of [elsewhere.workspace, elsewhere.organization]) await putShared(`Bearer ${token}`);
  unchanged = { inside: await setUp(), outside: await setUpOutside() };
});

afterAll(async () => {
  host.close();
  await gateway.close();
});

/** Stores a secret of the workspace of a key. */
async function putShared(authorization: string): Promise<void> {
  const body = { value: 'a value of some length', hosts: ['localhost'] };
  const response = await gateway.call('PUT', '/vault/secrets/shared', { body, headers: { authorization } });
  expect(response.status).toBe(200);
}

let interns = 0;

async function addIntern(): Promise<{ id: string; vaultId: string }> {
  interns += 1;
  const response = await gateway.call('POST', '/interns', { body: { name: `Intern ${interns}` } });
  expect(response.status).toBe(201);
  const { id, vault_id: vaultId } = (await response.json()) as { id: string; vault_id: string };
  return { id, vaultId };
}

/** Makes an intern with a key and a secret, a secret of the workspace, and another intern. */
async function setUp(): Promise<Scene> {
  const [{ id }, sibling] = [await addIntern(), await addIntern()];
  const keys = [];
  for (const internId of [id, sibling.id]) keys.push(await addKey(gateway, { kind: 'intern', internId }));
  const body = { value: 'a value of some length', hosts: ['localhost'] };
  expect((await gateway.call('PUT', `/vault/interns/${id}/secrets/own`, { body })).status).toBe(200);
  await putShared(`Bearer ${gateway.apiKey}`);
  return {
    internId: id,
    keyHash: keys[0]!.hash,
    siblingVaultId: sibling.vaultId,
    tokens: {
      regular: gateway.apiKey,
      management: gateway.managementKey,
      own: keys[0]!.token,
      sibling: keys[1]!.token,
      regional: gateway.apiKey,
      ...elsewhere,
    },
  };
}

/** Makes the same in an organization of its own that is not in the programme. */
async function setUpOutside(): Promise<Scene> {
  const place = await addOrganization(gateway);
  const there = { ...gateway, ...place };
  const [intern, sibling] = [await insertIntern(there), await insertIntern(there)];
  const [outside, own] = [await addKey(there), await addKey(there, { kind: 'intern', internId: intern.id })];
  const secret = { hosts: ['localhost'] };
  await addSecret(gateway, intern.vaultId, 'own', secret);
  await addSecret(gateway, await addVault(gateway, place), 'shared', secret);
  const tokens = { regular: gateway.apiKey, outside: outside.token };
  return { internId: intern.id, keyHash: own.hash, siblingVaultId: sibling.vaultId, tokens };
}

/** Finds the body that an operation would accept. */
function bodyFor(method: string, path: string, { siblingVaultId }: Scene): object | undefined {
  if (path.includes('/egress/')) return undefined;
  if (path.endsWith('/sign')) return { bodySha256: 'a'.repeat(64) };
  if (path.endsWith('/copy')) return { names: ['shared'] };
  if (method === 'PUT' && path.endsWith('/status')) return { status: 'running' };
  if (method === 'PUT' && path.endsWith('/attached-vault')) return { vault_id: siblingVaultId };
  if (method === 'PUT') return { value: 'another value', hosts: ['localhost'] };
  if (method === 'POST') return { name: `Made ${Math.random()}` };
  return method === 'PATCH' ? { description: 'Changed' } : undefined;
}

interface Answer {
  status: number;
  text: string;
}

/** Sends the request of a cell; with a `Host` header that fetch would not send. */
function send(row: { method: string; path: string }, caller: string, scene: Scene): Promise<Answer> {
  const { port } = host.address() as AddressInfo;
  const path = row.path
    .replace('ID', scene.internId)
    .replace('HASH', scene.keyHash)
    .replace('HOST', `localhost:${port}`);
  const token = scene.tokens[caller];
  const isEgress = path.includes('/egress/');
  const body = bodyFor(row.method, row.path, scene);
  const headers = {
    ...(token === undefined
      ? {}
      : { [isEgress ? 'sluice-authorization' : 'authorization']: `Bearer ${token}` }),
    ...(isEgress ? { 'x-token': '{{secret:own}}' } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(caller === 'regional' ? { host: 'eu.gateway.example' } : {}),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${gateway.origin}/api/v1${path}`, { method: row.method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

describe.each(ROWS)('$method $path', (row) => {
  test.each(CALLERS.map((caller, n) => [caller, row.cells[n] ?? 'missing'] as const))(
    'answers %s with %s',
    async (caller, cell) => {
      const status = Number.parseInt(cell, 10);
      const isChange = row.method !== 'GET' && status < 300;
      const scene = isChange ? await setUp() : unchanged[caller === 'outside' ? 'outside' : 'inside'];
      const answer = await send(row, caller, scene);
      expect(answer).toMatchObject({ status });
      const letter = cell.slice(3) as keyof typeof REASONS;
      if (status === 403) expect(answer.text).toContain(`"reason":"${REASONS[letter]}"`);
      if (status === 404 && row.path.includes('ID')) {
        const unknown = { ...scene, internId: '00000000-0000-4000-8000-000000000000' };
        expect(answer.text).toBe((await send(row, 'regular', unknown)).text);
      }
    },
  );
});

describe('a path with malformed escapes', () => {
  const MALFORMED = [
    ...ROWS.filter(({ path }) => path.includes('ID')).map(({ method, path }) => ({
      method,
      path: path.replace('ID', '%ff'),
      status: 404,
    })),
    { method: 'PUT', path: '/vault/secrets/%ff', status: 400 },
    { method: 'DELETE', path: '/vault/secrets/%ff', status: 400 },
    { method: 'PUT', path: '/vault/interns/ID/secrets/%ff', status: 400 },
    { method: 'DELETE', path: '/interns/ID/keys/%ff', status: 404 },
  ];
  let scene: Scene;
  beforeAll(() => {
    const { inside, outside } = unchanged;
    scene = { ...inside, tokens: { ...inside.tokens, outside: outside.tokens['outside'] } };
  });

  test.each(MALFORMED)('$method $path checks key, programme and region before the escapes', async (row) => {
    const statuses: Record<string, number> = {};
    for (const caller of ['nobody', 'outside', 'regional', 'management']) {
      statuses[caller] = (await send(row, caller, scene)).status;
    }
    expect(statuses).toEqual({ nobody: 401, outside: 404, regional: 403, management: row.status });
  });

  test("an egress path checks key, programme, region and intern before the host's escapes", async () => {
    const row = { method: 'GET', path: '/interns/ID/egress/http/HOST/%ff' };
    const statuses: Record<string, number> = {};
    for (const caller of ['nobody', 'outside', 'regional', 'regular', 'own']) {
      statuses[caller] = (await send(row, caller, scene)).status;
    }
    expect(statuses).toEqual({ nobody: 401, outside: 404, regional: 403, regular: 403, own: 400 });
  });
});

test('an organization that leaves or joins the programme gets 404 or 200 without restart', async () => {
  // An organization that no process has asked for yet, so that its cached entitlement is new.
  const place = await addOrganization(gateway);
  const set = (entitlements: string) =>
    gateway.database.query('update organizations set entitlements = $1 where id = $2', [
      entitlements,
      place.organizationId,
    ]);
  await set('{interns}');
  const { id } = await insertIntern({ ...gateway, ...place });
  const authorization = `Bearer ${(await addKey(gateway, place)).token}`;
  const read = async (): Promise<number> =>
    (await gateway.call('GET', `/interns/${id}`, { headers: { authorization } })).status;
  const becomes = (status: number) =>
    eventually(`a ${status}`, async () => ((await read()) === status ? true : undefined), HEARD_MS);
  expect(await read()).toBe(200);
  await set('{}');
  await becomes(404);
  await set('{interns}');
  await becomes(200);
});
