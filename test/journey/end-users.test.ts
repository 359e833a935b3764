import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { askChat, completed } from '../support/chat.ts';
import { endUserOf, listEndUsers, pathOf, register } from '../support/end-users.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let manager: Caller;
let foreigner: Caller;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

/** Each test has an organization of its own. */
beforeEach(async () => {
  [manager, foreigner] = (await Promise.all([newManager(), newManager()])) as [Caller, Caller];
});

async function newManager(): Promise<Caller> {
  const place = await addOrganization(gateway);
  const { token } = await addKey(gateway, { ...place, kind: 'management' });
  return createCaller(gateway.origin, token);
}

const patch = (user: string, body: unknown): Promise<Response> =>
  manager.call('PATCH', pathOf(user), { body });

describe('an end user', () => {
  test('exists once per organization, which alone can read it', async () => {
    const made = await endUserOf(await register(manager, 'Kunde-1'), 201);
    expect(made).toEqual({
      user: 'Kunde-1',
      is_active: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: made.created_at,
    });
    expect(await endUserOf(await manager.call('GET', pathOf('Kunde-1')))).toEqual(made);
    expect(await errorOf(await register(manager, 'Kunde-1'))).toMatchObject({
      code: 409,
      message: 'The end user is already registered and active',
      metadata: { reason: 'end_user_registered', retryable: false },
    });
    // The same string is another end user of another organization, and another string in another case.
    await endUserOf(await register(foreigner, 'Kunde-1'), 201);
    await endUserOf(await register(manager, 'kunde-1'), 201);
    expect((await listEndUsers(foreigner)).total_count).toBe(1);
  });

  test('keeps its identity when it is deactivated and activated', async () => {
    const made = await endUserOf(await register(manager, 'a'), 201);
    const inactive = await endUserOf(await patch('a', { is_active: false, user: 'b', color: 'red' }));
    expect(inactive).toMatchObject({ user: 'a', is_active: false, created_at: made.created_at });
    expect(Date.parse(inactive.updated_at)).toBeGreaterThanOrEqual(Date.parse(made.updated_at));
    expect(await endUserOf(await manager.call('GET', pathOf('a')))).toEqual(inactive);
    expect((await endUserOf(await patch('a', { is_active: true }))).is_active).toBe(true);
    await patch('a', { is_active: false });
    const again = await endUserOf(await register(manager, 'a'), 201);
    expect(again).toMatchObject({ user: 'a', is_active: true, created_at: made.created_at });
  });

  test('can be deleted repeatedly, and remains as inactive', async () => {
    await register(manager, 'a');
    const first = await manager.call('DELETE', pathOf('a'));
    expect([first.status, await first.text()]).toEqual([204, '']);
    const inactive = await endUserOf(await manager.call('GET', pathOf('a')));
    expect(inactive.is_active).toBe(false);
    expect((await manager.call('DELETE', pathOf('a'))).status).toBe(204);
    expect(await endUserOf(await manager.call('GET', pathOf('a')))).toEqual(inactive);
  });

  test('answers another organization like an unknown one', async () => {
    await register(foreigner, 'theirs');
    for (const [method, body] of [['GET'], ['PATCH', { is_active: false }], ['DELETE']] as const) {
      const [theirs, nobodys] = await Promise.all(
        ['theirs', 'nobodys'].map(async (user) =>
          visibleParts(await manager.call(method, pathOf(user), { body })),
        ),
      );
      expect(theirs).toEqual(nobodys);
      expect(theirs!.status).toBe(404);
    }
    expect((await endUserOf(await foreigner.call('GET', pathOf('theirs')))).is_active).toBe(true);
  });

  test.each<[string, unknown]>([
    ['nothing', {}],
    ['a null', { is_active: null }],
    ['a word', { is_active: 'false' }],
    ['a list', []],
  ])('rejects an update with %s', async (_what, body) => {
    await register(manager, 'a');
    expect(await errorOf(await patch('a', body))).toMatchObject({
      code: 400,
      message: 'Invalid request parameters',
    });
  });

  test('can send requests even if it is inactive or never registered', async () => {
    const owner = createCaller(gateway.origin, gateway.managementKey);
    await register(owner, 'inactive');
    await owner.call('DELETE', pathOf('inactive'));
    for (const user of ['inactive', 'never registered']) {
      await completed(await askChat(gateway, { user }));
    }
    const made = await owner.call('POST', '/keys', { body: { name: 'x', external: { user: 'inactive' } } });
    expect(made.status).toBe(201);
  });

  test('gets one 201 and five 409 from six concurrent registrations', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => register(manager, 'wanted')));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201, 409, 409, 409, 409, 409,
    ]);
  });

  test('exists once for a repeated request, which gets the first response', async () => {
    const headers = { 'idempotency-key': 'again' };
    const answers = await Promise.all([1, 2, 3].map(() => register(manager, 'repeated', headers)));
    answers.push(await register(manager, 'repeated', headers));
    const made = await Promise.all(answers.map((answer) => endUserOf(answer, 201)));
    expect(new Set(made.map((one) => JSON.stringify(one))).size).toBe(1);
    expect((await register(manager, 'another', headers)).status).toBe(422);
  });

  test('exists once for a request repeated with a key of another workspace', async () => {
    const headers = { 'idempotency-key': 'organization' };
    const owner = createCaller(gateway.origin, gateway.managementKey);
    const made = await endUserOf(await register(owner, 'shared', headers), 201);
    const { token } = await addKey(gateway, { ...(await addWorkspace(gateway)), kind: 'management' });
    const again = await register(createCaller(gateway.origin, token), 'shared', headers);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await endUserOf(again, 201)).toEqual(made);
  });
});

describe('GET /end-users', () => {
  test('lists the active ones, oldest first, and the inactive on request', async () => {
    for (const user of ['b', 'a', 'c']) await register(manager, user);
    await manager.call('DELETE', pathOf('a'));
    const names = async (query: string): Promise<[string[], number]> => {
      const { data, total_count: total } = await listEndUsers(manager, query);
      return [data.map(({ user }) => user), total];
    };
    expect(await names('')).toEqual([['b', 'c'], 2]);
    expect(await names('?include_inactive=true')).toEqual([['b', 'a', 'c'], 3]);
    expect(await names('?user=c')).toEqual([['c'], 1]);
    expect(await names('?user=C')).toEqual([[], 0]);
    expect(await names('?user=a')).toEqual([[], 0]);
    expect(await names('?user=a&include_inactive=true')).toEqual([['a'], 1]);
    expect(await names('?limit=1&offset=1')).toEqual([['c'], 2]);
    expect(await names('?offset=5')).toEqual([[], 2]);
  });

  test('lists everyone exactly once over all pages while others register', async () => {
    await Promise.all(Array.from({ length: 25 }, (_, n) => register(manager, `there-${n}`)));
    const seen: string[] = [];
    for (let offset = 0; ; offset += 10) {
      const { data } = await listEndUsers(manager, `?limit=10&offset=${offset}`);
      seen.push(...data.map(({ user }) => user));
      if (data.length < 10 || offset >= 30) break;
      await Promise.all([1, 2, 3].map((n) => register(manager, `new-${offset}-${n}`)));
    }
    expect(new Set(seen).size).toBe(seen.length);
    const there = seen.filter((user) => user.startsWith('there-'));
    expect(there).toHaveLength(25);
  });

  test('lists everyone exactly once over all pages while inactive ones become active', async () => {
    const early = ['early-1', 'early-2', 'early-3'];
    for (const user of early) {
      await register(manager, user);
      await manager.call('DELETE', pathOf(user));
    }
    await Promise.all(Array.from({ length: 12 }, (_, n) => register(manager, `late-${n}`)));
    const seen: string[] = [];
    for (let offset = 0; ; offset += 10) {
      const { data } = await listEndUsers(manager, `?limit=10&offset=${offset}&include_inactive=true`);
      seen.push(...data.map(({ user }) => user));
      if (data.length < 10) break;
      const user = early.shift();
      if (user !== undefined) await endUserOf(await register(manager, user), 201);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((user) => /^(early|late)-/.test(user))).toHaveLength(15);
  });

  test.each(['limit=0', 'limit=101', 'offset=-1', 'user=', 'user=%20a', 'include_inactive=1', 'user=a%00'])(
    'answers 400 for %s',
    async (query) => {
      expect((await errorOf(await manager.call('GET', `/end-users?${query}`))).code).toBe(400);
    },
  );
});

describe('the audit log of end users', () => {
  test('has an entry for each change, and none for requests that change nothing', async () => {
    const user = 'a/b c?✓';
    await register(manager, user);
    await register(manager, user);
    await patch(user, { is_active: true });
    await patch(user, {});
    await manager.call('DELETE', pathOf(user));
    await manager.call('DELETE', pathOf(user));
    const rows = await auditRows(gateway, `end-users/${encodeURIComponent(user)}`);
    expect(rows.map(({ action }) => action)).toEqual(['createEndUser', 'updateEndUser', 'deleteEndUser']);
  });
});
