import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addWorkspace, type Place } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { listKeys, makeKey, madeOf, postKey, readKey, statusOf } from '../support/keys.ts';

let gateway: Gateway;
let manager: Caller;
let foreigner: Caller;
let foreign: Place;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
  foreign = await addOrganization(gateway);
  const { token } = await addKey(gateway, { ...foreign, kind: 'management' });
  foreigner = createCaller(gateway.origin, token);
});

afterAll(() => gateway.close());

function issuesOf({ metadata }: Awaited<ReturnType<typeof errorOf>>): string[] {
  return (metadata.issues ?? []).map(({ path }) => path);
}

describe('a new key', () => {
  test('gets 200, and its record has every field of the request', async () => {
    const { rows } = await gateway.database.query<{ id: string }>('select id from users');
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { record, token } = await makeKey(manager, {
      name: 'Kunde 1 ✓',
      limit: 12.5,
      limit_reset: 'weekly',
      include_byok_in_limit: true,
      expires_at: expiresAt,
      creator_user_id: rows[0]!.id,
      external: { user: 'customer-1', color: 'red' },
      color: 'red',
    });
    expect(token).toMatch(/^sk-slc-[A-Za-z0-9_-]{43}$/);
    expect(record).toEqual({
      id: expect.any(Number),
      hash: createHash('sha256').update(token).digest('hex'),
      name: 'Kunde 1 ✓',
      label: `${token.slice(0, 10)}...${token.slice(-4)}`,
      disabled: false,
      created_at: expect.stringMatching(/Z$/),
      updated_at: null,
      expires_at: expiresAt,
      last_used_at: null,
      creator_user_id: rows[0]!.id,
      external_user: 'customer-1',
      workspace_id: gateway.workspaceId,
      limit: 12.5,
      limit_remaining: 12.5,
      limit_reset: 'weekly',
      include_byok_in_limit: true,
      usage: 0,
      usage_daily: 0,
      usage_weekly: 0,
      usage_monthly: 0,
      byok_usage: 0,
      byok_usage_daily: 0,
      byok_usage_weekly: 0,
      byok_usage_monthly: 0,
    });
    expect(await readKey(manager, record.hash)).toEqual(record);
    expect(await statusOf(gateway, token)).toBe(200);
  });

  test('needs only a name; nulls count as absent fields', async () => {
    const { record } = await makeKey(manager, { limit: null, limit_reset: null, creator_user_id: null });
    expect(record).toMatchObject({
      limit: null,
      limit_remaining: null,
      limit_reset: null,
      expires_at: null,
      creator_user_id: null,
      external_user: null,
      include_byok_in_limit: false,
    });
  });

  test("has the management key's user as its creator if the request names none", async () => {
    const { rows } = await gateway.database.query<{ id: string }>('select id from users');
    const { token } = await addKey(gateway, { kind: 'management', creatorUserId: rows[0]!.id });
    const { record } = await makeKey(createCaller(gateway.origin, token));
    expect(record.creator_user_id).toBe(rows[0]!.id);
  });

  test('belongs to the workspace that the request names', async () => {
    const { workspaceId } = await addWorkspace(gateway);
    const { record } = await makeKey(manager, { workspace_id: workspaceId.toUpperCase() });
    expect(record.workspace_id).toBe(workspaceId);
  });

  test.each<[string, object, string]>([
    ['no name', { name: undefined }, 'body.name'],
    ['an empty name', { name: '' }, 'body.name'],
    ['a name without end', { name: 'x'.repeat(256) }, 'body.name'],
    ['a NUL in its name', { name: 'a\0b' }, 'body.name'],
    ['half a character in its name', { name: '\ud800' }, 'body.name'],
    ['a negative limit', { limit: -0.01 }, 'body.limit'],
    ['a limit in words', { limit: '5' }, 'body.limit'],
    ['a limit beyond all measure', { limit: 1e21 }, 'body.limit'],
    ['a limit of less than can be counted', { limit: 4e-10 }, 'body.limit'],
    ['an unknown reset', { limit_reset: 'yearly' }, 'body.limit_reset'],
    ['a time without seconds', { expires_at: '2099-01-01T00:00Z' }, 'body.expires_at'],
    ['a day', { expires_at: '2099-01-01' }, 'body.expires_at'],
    ['a day that is not', { expires_at: '2099-02-30T00:00:00Z' }, 'body.expires_at'],
    ['a time that has passed', { expires_at: '2020-01-01T00:00:00Z' }, 'body.expires_at'],
    ['a time that clients cannot read', { expires_at: '9999-12-31T23:59:59-01:00' }, 'body.expires_at'],
    ['no workspace id', { workspace_id: 'default' }, 'body.workspace_id'],
    ['an unknown creator', { creator_user_id: 'user_nobody' }, 'body.creator_user_id'],
    ['an external identity without a user', { external: {} }, 'body.external.user'],
    ['whitespace around the end user', { external: { user: ' a' } }, 'body.external.user'],
    ['an end user without end', { external: { user: 'x'.repeat(513) } }, 'body.external.user'],
    ['a short key', { external: { user: 'a', api_key: 'x1'.repeat(15) } }, 'body.external.api_key'],
    ['a guessable key', { external: { user: 'a', api_key: 'ab'.repeat(20) } }, 'body.external.api_key'],
    [
      'a key that looks like ours',
      { external: { user: 'a', api_key: `SK-SLC-${'Zx9_'.repeat(11)}` } },
      'body.external.api_key',
    ],
  ])('answers 400 to %s and names the field', async (_what, body, path) => {
    const error = await errorOf(await postKey(manager, body));
    expect([error.code, issuesOf(error)]).toEqual([400, [path]]);
    expect(error.message).toMatch(/^Invalid request parameters: /);
  });

  test('answers the same 400 to foreign and unknown workspaces and users', async () => {
    const { rows } = await gateway.database.query<{ id: string }>(
      `insert into users (id, email) values ('user_theirs', 'theirs@example.com') returning id`,
    );
    await gateway.database.query(
      `insert into organization_members (organization_id, user_id, role) values ($1, $2, 'org:member')`,
      [foreign.organizationId, rows[0]!.id],
    );
    for (const [field, theirs, nobodys] of [
      ['workspace_id', foreign.workspaceId, crypto.randomUUID()],
      ['creator_user_id', rows[0]!.id, 'user_nobody'],
    ] as const) {
      const [one, other] = await Promise.all(
        [theirs, nobodys].map(async (id) => visibleParts(await postKey(manager, { [field]: id }))),
      );
      expect(one).toEqual(other);
      expect(one!.status).toBe(400);
    }
  });
});

describe('an API key that the customer chooses', () => {
  const brought = (): string => `partner.${crypto.randomUUID()}${crypto.randomUUID()}`;

  test('gets 200, and no answer shows it', async () => {
    const token = brought();
    const answer = await postKey(manager, { external: { user: 'customer-2', api_key: token } });
    const text = await answer.clone().text();
    const { record, token: shown } = await madeOf(answer);
    expect(text).not.toContain(token);
    expect([shown, record.label]).toEqual(['', `...${token.slice(-4)}`]);
    expect(record.hash).toBe(createHash('sha256').update(token).digest('hex'));
    expect(await statusOf(gateway, token)).toBe(200);
    expect(await statusOf(gateway, brought())).toBe(401);
  });

  test('cannot be stored twice in any organization, even after its deletion', async () => {
    const external = { user: 'customer-3', api_key: brought() };
    const { record } = await makeKey(manager, { external });
    for (const by of [manager, foreigner]) {
      expect(await errorOf(await postKey(by, { external }))).toMatchObject({
        code: 409,
        metadata: { reason: 'api_key_taken', retryable: false },
      });
    }
    expect((await manager.call('DELETE', `/keys/${record.hash}`)).status).toBe(200);
    expect((await postKey(manager, { external })).status).toBe(409);
    expect(await statusOf(gateway, external.api_key)).toBe(401);
  });

  test('belongs to one record when the request is repeated, at once or later', async () => {
    const body = { external: { user: 'customer-4', api_key: brought() } };
    const headers = { 'idempotency-key': 'brought' };
    const answers = await Promise.all([1, 2, 3].map(() => postKey(manager, body, headers)));
    answers.push(await postKey(manager, body, headers));
    const made = await Promise.all(answers.map(madeOf));
    expect(new Set(made.map(({ record }) => record.id)).size).toBe(1);
  });
});

describe('a repeated request with an Idempotency-Key', () => {
  test('makes one key and shows it again, and no table has it in clear', async () => {
    const headers = { 'idempotency-key': 'once' };
    const answers = await Promise.all([1, 2, 3, 4].map(() => postKey(manager, { name: 'Once' }, headers)));
    const made = await Promise.all(answers.map(madeOf));
    expect(new Set(made.map(({ token }) => token)).size).toBe(1);
    expect(answers.filter(({ headers: h }) => h.get('idempotent-replayed') === 'true')).toHaveLength(3);
    expect((await listKeys(manager)).filter(({ name }) => name === 'Once')).toHaveLength(1);
    const { rows } = await gateway.database.query(
      `select (select json_agg(k) from api_keys k) keys, (select json_agg(a) from audit_log a) audit,
              (select json_agg(i) from remembered_answers i) answers`,
    );
    const stored = JSON.stringify(rows);
    expect(stored).toContain('"key":"once"');
    expect(stored).not.toContain(made[0]!.token);
    const other = await errorOf(await postKey(manager, { name: 'Other' }, headers));
    expect(other).toMatchObject({ code: 422, metadata: { reason: 'idempotency_key_reused' } });
  });

  test('makes a second key for another workspace', async () => {
    const headers = { 'idempotency-key': 'each' };
    const here = await madeOf(await postKey(manager, {}, headers));
    const elsewhere = { workspace_id: (await addWorkspace(gateway)).workspaceId };
    const answer = await postKey(manager, elsewhere, headers);
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    const there = await madeOf(answer);
    expect(there.record).toMatchObject(elsewhere);
    for (const [body, made] of [[{}, here] as const, [elsewhere, there] as const]) {
      const again = await postKey(manager, body, headers);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(await madeOf(again)).toEqual(made);
    }
  });
});
