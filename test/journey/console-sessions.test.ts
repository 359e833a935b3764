import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { operations } from '../../contract/operations.ts';
import { type OperationDefinition, takesSession } from '../../contract/operation.ts';
import type { ConsoleSessionBody } from '../../contract/accounts/console-sessions.ts';
import { runConsoleLink } from '../../admin/console-link.ts';
import { startApi } from '../../api/start-api.ts';
import { createLogger } from '../../platform/logger.ts';
import { hashToken } from '../../services/accounts/identity/key-token.ts';
import { addKey, addOrganization, setKeyDisabled } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { createDatabase } from '../support/open-database.ts';

let gateway: Gateway;
let anyone: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  anyone = createCaller(gateway.origin);
});

afterAll(() => gateway.close());

/** A browser with a session. */
interface Browser {
  session: ConsoleSessionBody;
  cookie: string;
  call: Caller['call'];
}

async function signIn(body: object): Promise<Browser> {
  const response = await anyone.call('POST', '/console/sessions', { body });
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
  const { data: session } = (await response.json()) as { data: ConsoleSessionBody };
  if (response.status !== 201) throw new Error(`${response.status}`);
  const call: Caller['call'] = (method, path, { headers, ...options } = {}) =>
    anyone.call(method, path, {
      ...options,
      headers: {
        cookie,
        ...(method === 'GET' ? {} : { 'sluice-csrf-token': session.csrf_token }),
        ...headers,
      },
    });
  return { session, cookie, call };
}

const chat = (headers: Record<string, string> = {}) => ({
  body: { model: 'local/echo-1', messages: [{ role: 'user', content: 'Hello' }] },
  headers,
});

describe('POST /console/sessions', () => {
  test('exchanges a key for a cookie that scripts and other sites cannot use', async () => {
    const response = await anyone.call('POST', '/console/sessions', {
      body: { api_key: gateway.managementKey },
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('set-cookie')).toMatch(
      /^__Host-sluice-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
    );
    const { data } = (await response.json()) as { data: ConsoleSessionBody };
    expect(data).toMatchObject({
      key: { hash: hashToken(gateway.managementKey), kind: 'management' },
      organization_id: gateway.organizationId,
      workspace_id: null,
    });
    const entries = await auditRows(gateway, `console/sessions/${data.id}`);
    expect(entries).toMatchObject([{ action: 'createConsoleSession', key_hash: data.key.hash }]);
  });

  test('leaves out what browsers take from https pages only, on a laptop without https', async () => {
    const local = await startGateway({ env: { PUBLIC_URL: 'http://localhost:8080' } });
    const response = await createCaller(local.origin).call('POST', '/console/sessions', {
      body: { api_key: local.managementKey },
    });
    await local.close();
    expect(response.headers.get('set-cookie')).toMatch(
      /^sluice-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
  });

  test('replaces a session whose cookie somebody else may have planted', async () => {
    const planted = await signIn({ api_key: gateway.apiKey });
    await anyone.call('POST', '/console/sessions', {
      body: { api_key: gateway.apiKey },
      headers: { cookie: planted.cookie },
    });
    expect((await planted.call('GET', '/console/sessions')).status).toBe(401);
  });

  test.each([
    ['neither', {}],
    ['both', { api_key: 'sk-slc-x', link: 'y' }],
    ['a further field', { api_key: 'sk-slc-x', next: '//evil.example' }],
  ])('refuses a body with %s', async (_, body) => {
    expect((await anyone.call('POST', '/console/sessions', { body })).status).toBe(400);
  });

  test('opens one session by a link, and then no other', async () => {
    const { knex, close } = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
    const printed = await runConsoleLink(knex, gateway.origin, [hashToken(gateway.managementKey)]);
    await expect(runConsoleLink(knex, gateway.origin, ['f'.repeat(64)])).rejects.toThrow(/keys list/);
    await close();
    const [, link = ''] = /#link=([\w-]+)/.exec(printed) ?? [];
    const { session } = await signIn({ link });
    expect(session.key.kind).toBe('management');
    const again = await anyone.call('POST', '/console/sessions', { body: { link } });
    expect(again.status).toBe(401);
  });

  test('makes an address wait after five wrong keys in a minute, over all processes', async () => {
    const attacked = await startGateway();
    const second = await startApi(attacked.config, createLogger({ level: 'fatal', name: 'test' }));
    const callers = [createCaller(attacked.origin), createCaller(`http://127.0.0.1:${second.port}`)];
    const wrong = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const body = { api_key: `sk-slc-${'x'.repeat(41)}${10 + n}` };
        return (await callers[n % 2]!.call('POST', '/console/sessions', { body })).status;
      }),
    );
    expect(wrong.filter((status) => status === 401)).toHaveLength(5);
    expect(wrong.filter((status) => status === 429)).toHaveLength(15);
    for (const caller of callers) {
      const right = await caller.call('POST', '/console/sessions', { body: { api_key: attacked.apiKey } });
      expect([right.status, Number(right.headers.get('retry-after')) > 0]).toEqual([429, true]);
      expect(await errorOf(right)).toMatchObject({ metadata: { reason: 'too_many_wrong_keys' } });
    }
    for (const { run } of second.shutdownSteps) await run();
    await attacked.close();
  });

  test('counts right keys for no address', async () => {
    for (let n = 0; n < 7; n += 1) await signIn({ api_key: gateway.apiKey });
  });
});

describe('a session', () => {
  test('says how long records are kept, and shows the Temporal UI to management keys only', async () => {
    const installed = await startGateway({
      env: { TEMPORAL_UI_URL: 'http://temporal.internal:8233/', LOGGED_BODY_RETENTION: '12h' },
    });
    const sessionOf = async (key: string) => {
      const answer = await createCaller(installed.origin).call('POST', '/console/sessions', {
        body: { api_key: key },
      });
      return ((await answer.json()) as { data: ConsoleSessionBody }).data;
    };
    const [manager, regular] = [await sessionOf(installed.managementKey), await sessionOf(installed.apiKey)];
    await installed.close();
    const { namespace } = installed.config.temporal;
    expect(manager.temporal_ui_url).toBe(`http://temporal.internal:8233/namespaces/${namespace}`);
    expect(regular.temporal_ui_url).toBeNull();
    expect(regular.retention_days).toEqual({ generations: 90, contents: 0.5 });
  });

  test('reads what its key may read, and is described by GET', async () => {
    const manager = await signIn({ api_key: gateway.managementKey });
    expect((await manager.call('GET', '/keys')).status).toBe(200);
    const found = await manager.call('GET', '/console/sessions');
    expect(await found.json()).toEqual({ data: manager.session });
    const regular = await signIn({ api_key: gateway.apiKey });
    expect(regular.session).toMatchObject({ key: { kind: 'regular' }, workspace_id: gateway.workspaceId });
    expect((await regular.call('GET', '/generations')).status).toBe(200);
    expect((await regular.call('GET', '/keys')).status).toBe(403);
  });

  test.each([
    ['without a token', {}],
    ['with a wrong token', { 'sluice-csrf-token': 'a'.repeat(43) }],
  ])('changes nothing %s against forgery', async (_, headers) => {
    const { cookie } = await signIn({ api_key: gateway.managementKey });
    const body = { name: 'forged' };
    const error = await errorOf(
      await anyone.call('POST', '/keys', { body, headers: { cookie, ...headers } }),
    );
    expect(error).toMatchObject({ code: 403, metadata: { reason: 'csrf_token_required' } });
  });

  test.each(['cross-site', 'same-site'])('counts for no request that a browser marks %s', async (site) => {
    const { call } = await signIn({ api_key: gateway.managementKey });
    const error = await errorOf(await call('GET', '/keys', { headers: { 'sec-fetch-site': site } }));
    expect(error).toMatchObject({ code: 401, metadata: { reason: 'missing_credential' } });
  });

  test('yields to a key in the headers, and an empty cookie is none', async () => {
    const { call } = await signIn({ api_key: gateway.managementKey });
    const headers = { authorization: `Bearer ${gateway.apiKey}` };
    expect((await call('GET', '/keys', { headers })).status).toBe(403);
    expect((await call('GET', '/console/sessions', { headers })).status).toBe(404);
    const empty = await anyone.call('GET', '/keys', { headers: { cookie: '' } });
    expect(await errorOf(empty)).toMatchObject({ metadata: { reason: 'missing_credential' } });
  });

  test('ends with DELETE, and the browser forgets its cookie', async () => {
    const { call } = await signIn({ api_key: gateway.apiKey });
    const ended = await call('DELETE', '/console/sessions');
    expect([ended.status, ended.headers.get('set-cookie')]).toEqual([
      204,
      '__Host-sluice-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure',
    ]);
    expect((await call('GET', '/console/sessions')).status).toBe(401);
  });

  test('ends when its key is disabled', async () => {
    const key = await addKey(gateway);
    const { call } = await signIn({ api_key: key.token });
    await setKeyDisabled(gateway, key.hash, true);
    await eventually('the end of the session', async () => {
      const { status } = await call('GET', '/console/sessions');
      return status === 401 ? true : undefined;
    });
  });

  test('ends after twelve hours', async () => {
    const { call, session } = await signIn({ api_key: gateway.apiKey });
    expect(Date.parse(session.expires_at) - Date.now()).toBeLessThanOrEqual(12 * 3_600_000);
    await gateway.database.query('update console_sessions set expires_at = now() where id = $1', [
      session.id,
    ]);
    expect((await call('GET', '/console/sessions')).status).toBe(401);
  });
});

describe('a session that generates', () => {
  test('uses the named regular key of its organization, and the audit log says so once', async () => {
    const key = await addKey(gateway, { name: 'Payer' });
    const { call, session } = await signIn({ api_key: gateway.managementKey });
    const response = await call('POST', '/chat/completions', chat({ 'sluice-acting-key': key.hash }));
    await call('POST', '/chat/completions', chat({ 'sluice-acting-key': key.hash.toUpperCase() }));
    expect(response.status).toBe(200);
    const id = response.headers.get('x-generation-id');
    const { rows } = await gateway.database.query('select key_id::int from generations where id = $1', [id]);
    expect(rows).toEqual([{ key_id: key.keyId }]);
    const target = `console/sessions/${session.id}/keys/${key.hash}`;
    expect(await auditRows(gateway, target)).toMatchObject([
      { action: 'actWithKey', key_hash: session.key.hash },
    ]);
  });

  test('uses its own key if that is a regular one', async () => {
    const { call } = await signIn({ api_key: gateway.apiKey });
    expect((await call('POST', '/chat/completions', chat())).status).toBe(200);
  });

  test('uses neither a foreign nor a management nor an unnamed key', async () => {
    const foreign = await addKey(gateway, await addOrganization(gateway));
    const manager = await signIn({ api_key: gateway.managementKey });
    const regular = await signIn({ api_key: gateway.apiKey });
    const other = await addKey(gateway);
    const answers = await Promise.all([
      manager.call('POST', '/chat/completions', chat()),
      manager.call('POST', '/chat/completions', chat({ 'sluice-acting-key': foreign.hash })),
      manager.call('POST', '/chat/completions', chat({ 'sluice-acting-key': manager.session.key.hash })),
      manager.call('POST', '/chat/completions', chat({ 'sluice-acting-key': 'x' })),
      regular.call('POST', '/chat/completions', chat({ 'sluice-acting-key': other.hash })),
    ]);
    for (const answer of answers) {
      expect(await errorOf(answer)).toMatchObject({ code: 403, metadata: { reason: 'acting_key_required' } });
    }
  });
});

describe('the cookie of a session', () => {
  const isOperationFor = (takes: boolean) => (operation: OperationDefinition) =>
    takesSession(operation) === takes;
  const all: OperationDefinition[] = Object.values(operations);
  const idsOf = (found: OperationDefinition[]) => found.map(({ id }) => id);

  test('generates chats and videos, and nothing else', () => {
    const generating = all.filter(({ access }) => access === 'generation').filter(isOperationFor(true));
    expect(idsOf(generating).toSorted()).toEqual(['createChatCompletion', 'createVideo']);
  });

  test('opens all operations for any key or management keys, but those of interns', () => {
    const refusing = all
      .filter(({ access }) => ['any', 'read', 'management'].includes(access))
      .filter(isOperationFor(false));
    expect(
      refusing.every(({ tag, credential }) => ['Interns', 'Vault', 'Daemon'].includes(tag) || credential),
    ).toBe(true);
  });

  test('opens no operation of a directory, a signature or the public', () => {
    const open = all.filter(({ access }) => ['scim', 'signed', 'public'].includes(access));
    expect(open.filter(isOperationFor(true))).toEqual([]);
  });
});
