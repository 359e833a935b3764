import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization } from '../support/accounts.ts';
import { runAdmin } from '../support/admin.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { createScimClient, makeScimToken, type WireScimToken } from '../support/scim.ts';

let gateway: Gateway;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
});
afterAll(() => gateway.close());
beforeEach(() => gateway.database.query('delete from scim_tokens'));

async function listed(): Promise<WireScimToken[]> {
  const response = await manager.call('GET', '/scim/tokens');
  return ((await response.json()) as { data: WireScimToken[] }).data;
}

const statusWith = async (token: string): Promise<number> =>
  (await createScimClient(gateway, token).call('GET', '/Users')).status;

describe('a SCIM token', () => {
  test('appears in one answer only, and rests in the database as a hash', async () => {
    const { record, token } = await makeScimToken(gateway, 'Entra');
    expect(token).toMatch(/^scim-slc-[\w-]{43}$/);
    expect(record).toEqual({
      id: expect.any(String),
      label: 'Entra',
      created_at: expect.any(String),
      last_used_at: null,
    });
    expect(await listed()).toEqual([record]);
    const { rows } = await gateway.database.query('select * from scim_tokens');
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(await auditRows(gateway, `scim/tokens/${record.id}`)).toMatchObject([
      { action: 'createScimToken', organization_id: gateway.organizationId },
    ]);
  });

  test('needs no label', async () => {
    const response = await manager.call('POST', '/scim/tokens');
    expect([response.status, await listed()]).toMatchObject([201, [{ label: 'SCIM' }]]);
  });

  test('records its last use, with one write a minute', async () => {
    const { record, token } = await makeScimToken(gateway);
    expect(await statusWith(token)).toBe(200);
    const [first] = await listed();
    expect(first?.last_used_at).not.toBeNull();
    await statusWith(token);
    expect((await listed())[0]).toEqual(first);
    await gateway.database.query(`update scim_tokens set last_used_at = now() - interval '61 seconds'`);
    await statusWith(token);
    const [last] = await listed();
    expect(last?.id).toBe(record.id);
    expect(Date.parse(last!.last_used_at!)).toBeGreaterThanOrEqual(Date.parse(first!.last_used_at!));
  });

  test('gets 401 from the next request after its revocation', async () => {
    const { record, token } = await makeScimToken(gateway);
    expect(await statusWith(token)).toBe(200);
    const response = await manager.call('DELETE', `/scim/tokens/${record.id}`);
    expect([response.status, await response.json()]).toEqual([200, { deleted: true }]);
    expect(await statusWith(token)).toBe(401);
    expect(await listed()).toEqual([]);
    expect(await auditRows(gateway, `scim/tokens/${record.id}`)).toMatchObject([
      { action: 'createScimToken' },
      { action: 'deleteScimToken' },
    ]);
  });

  test('gets 401 outside the SCIM server', async () => {
    const { token } = await makeScimToken(gateway);
    const holder = createCaller(gateway.origin, token);
    for (const [method, path] of [
      ['GET', '/key'],
      ['GET', '/models'],
      ['GET', '/scim/tokens'],
      ['GET', '/organization/members'],
    ] as const) {
      expect((await errorOf(await holder.call(method, path))).code).toBe(401);
    }
  });

  test('gets the same 401 if it is unknown, malformed, missing or an API key', async () => {
    const { rows } = await gateway.database.query('select 1 from scim_tokens');
    expect(rows).toEqual([]);
    const answers = await Promise.all(
      [
        undefined,
        gateway.apiKey,
        gateway.managementKey,
        `scim-slc-${'x'.repeat(43)}`,
        'scim-slc-short',
        `SCIM-SLC-${'x'.repeat(43)}`,
      ].map(async (token) =>
        visibleParts(await createCaller(gateway.origin, token).call('GET', '/scim/v2/Users')),
      ),
    );
    expect(answers[0]).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer', 'content-type': 'application/scim+json; charset=utf-8' },
    });
    expect(JSON.parse(answers[0]!.body)).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '401',
      detail: 'Missing Authentication header',
    });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
  });

  test('works in the Authorization header only', async () => {
    const { token } = await makeScimToken(gateway);
    const answer = await createScimClient(gateway).call('GET', '/Users', undefined, { 'x-api-key': token });
    expect(answer.status).toBe(401);
  });
});

describe('the limit of five SCIM tokens', () => {
  test('holds when two concurrent requests ask for the fifth', async () => {
    for (const label of ['1', '2', '3', '4']) await makeScimToken(gateway, label);
    const answers = await Promise.all(['5', '6'].map((label) => post({ label })));
    const codes = answers.map(({ status }) => status);
    expect(codes.toSorted((a, b) => a - b)).toEqual([201, 400]);
    expect(await errorOf(answers[codes.indexOf(400)]!)).toMatchObject({
      metadata: { reason: 'too_many_tokens', issues: [{ path: 'body' }] },
    });
    expect(await listed()).toHaveLength(5);
  });

  test("counts each organization alone, and a foreign token's id answers 404", async () => {
    for (const label of ['1', '2', '3', '4', '5']) await makeScimToken(gateway, label);
    const stranger = await addKey(gateway, { kind: 'management', ...(await addOrganization(gateway)) });
    const other = await makeScimToken({ origin: gateway.origin, managementKey: stranger.token });
    expect(await listed()).toHaveLength(5);
    const unknown = await visibleParts(await manager.call('DELETE', `/scim/tokens/${crypto.randomUUID()}`));
    expect(unknown.status).toBe(404);
    for (const id of [other.record.id, 'no-id']) {
      expect(await visibleParts(await manager.call('DELETE', `/scim/tokens/${id}`))).toEqual(unknown);
    }
  });

  test('counts a repeated request once, which gets the same token', async () => {
    for (const label of ['1', '2', '3', '4']) await makeScimToken(gateway, label);
    const again = (): Promise<Response> => post({ label: 'Okta' }, { 'idempotency-key': 'once' });
    const [first, second] = [await again(), await again()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await second.json()).toEqual(await first.json());
    expect(await listed()).toHaveLength(5);
  });
});

function post(body: object, headers: Record<string, string> = {}): Promise<Response> {
  return manager.call('POST', '/scim/tokens', { body, headers });
}

describe('admin scim-token', () => {
  test('prints the base URL and, last, a working token of the organization', async () => {
    const env = { PUBLIC_URL: 'https://gateway.example' };
    const command = ['scim-token', '--label', 'Laptop', '--organization', gateway.organizationId];
    const { code, stdout } = await runAdmin(gateway, command, env);
    expect(code).toBe(0);
    expect(stdout).toContain('https://gateway.example/api/v1/scim/v2');
    expect(await statusWith(stdout.trim().split(/\s+/).at(-1)!)).toBe(200);
    expect(await listed()).toMatchObject([{ label: 'Laptop' }]);
    expect(await auditRows(gateway, `scim/tokens/${(await listed())[0]!.id}`)).toMatchObject([
      { action: 'createScimToken', key_hash: null },
    ]);
  });

  test('refuses the sixth token with exit code 2 and the reason', async () => {
    for (const label of ['1', '2', '3', '4', '5']) await makeScimToken(gateway, label);
    const { code, stderr } = await runAdmin(gateway, [
      'scim-token',
      '--organization',
      gateway.organizationId,
    ]);
    expect([code, stderr]).toEqual([2, 'the organization has 5 tokens already, which is the limit\n']);
  });
});
