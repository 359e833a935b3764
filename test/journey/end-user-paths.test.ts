import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { endUserOf, listEndUsers, pathOf, register } from '../support/end-users.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

/** Sends the path byte by byte as it is; `fetch` would tidy it up. */
function send(method: string, path: string): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>();
  const { hostname, port } = new URL(gateway.origin);
  const headers = { authorization: `Bearer ${gateway.managementKey}` };
  request({ hostname, port, method, path: `/api/v1/end-users/${path}`, headers }, (response) => {
    let body = '';
    response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
  })
    .once('error', reject)
    .end();
  return promise;
}

const MOST = '𝒳'.repeat(512);

describe('a tracking string', () => {
  test.each([
    'a/b',
    '/',
    '//',
    'a/../b',
    '../keys',
    './a',
    '...',
    '.a',
    'a%2Fb',
    '%',
    '%00',
    '%2e',
    'a?b#c',
    'a b',
    'a+b',
    'a\nb',
    'ä\u0308',
    'é',
    'e\u0301',
    'İstanbul',
    '🇩🇪👩‍👩‍👧',
    '\u200b',
    '\ufeffa',
    '\ufffd',
    "' or 1=1 --",
    '{user}',
    ':user',
    '(.*)',
    '__proto__',
    'null',
    'x'.repeat(512),
    MOST,
  ])('identifies one end user in a path and in the list: %j', async (user) => {
    const made = await endUserOf(await register(manager, user), 201);
    expect(made.user).toBe(user);
    expect(await endUserOf(await manager.call('GET', pathOf(user)))).toEqual(made);
    const { data } = await listEndUsers(manager, `?user=${encodeURIComponent(user)}`);
    expect(data).toEqual([made]);
    const body = { is_active: false };
    const changed = await endUserOf(await manager.call('PATCH', pathOf(user), { body }));
    expect(changed).toMatchObject({ user, is_active: false });
    expect((await manager.call('DELETE', pathOf(user))).status).toBe(204);
  });

  test('returns unchanged for any well-formed Unicode', async () => {
    const user = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 40 })
      .filter(
        (text) =>
          !/^\p{White_Space}|\p{White_Space}$/u.test(text) &&
          !text.includes('\0') &&
          text !== '.' &&
          text !== '..',
      );
    await fc.assert(
      fc.asyncProperty(user, async (text) => {
        const answer = await register(manager, text);
        expect([201, 409]).toContain(answer.status);
        const { user: shown } = await endUserOf(await manager.call('GET', pathOf(text)));
        expect(shown).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ['nothing', ''],
    ['a space before', ' a'],
    ['a space behind', 'a '],
    ['a line end behind', 'a\n'],
    ['a no-break space', '\u00a0a'],
    ['an ideographic space', 'a\u3000'],
    ['a next line, which is whitespace', 'a\u0085'],
    ['nothing but space', ' '],
    ['NUL', 'a\0b'],
    ['half a character', 'a\ud800'],
    ['the other half', '\udc00a'],
    ['513 characters', `${MOST}x`],
    ['a number', 5],
    ['null', null],
    ['a list', ['a']],
  ])('causes a 400 with %s', async (_what, user) => {
    const error = await errorOf(await register(manager, user));
    expect([error.code, error.metadata.issues?.[0]?.path]).toEqual([400, 'body.user']);
    if (typeof user !== 'string' || user === '' || !user.isWellFormed()) return;
    for (const method of ['GET', 'DELETE']) {
      expect((await errorOf(await manager.call(method, pathOf(user)))).code).toBe(400);
    }
    const body = { is_active: true };
    expect((await errorOf(await manager.call('PATCH', pathOf(user), { body }))).code).toBe(400);
  });
});

describe('the path of an end user', () => {
  test.each(['.', '..'])('never matches %s, which the list finds', async (user) => {
    const made = await endUserOf(await register(manager, user), 201);
    expect((await listEndUsers(manager, `?user=${user}`)).data).toEqual([made]);
    const encoded = user.replaceAll('.', '%2E');
    for (const path of [encoded, encoded.toLowerCase()]) {
      for (const method of ['GET', 'DELETE']) expect((await send(method, path)).status).toBe(404);
    }
    expect((await listEndUsers(manager, `?user=${user}`)).data).toEqual([made]);
  });

  test('decodes its escapes once', async () => {
    await register(manager, 'once%2Fmore');
    await register(manager, 'once/more');
    const read = async (path: string): Promise<unknown> => JSON.parse((await send('GET', path)).body);
    expect(await read('once%252Fmore')).toMatchObject({ data: { user: 'once%2Fmore' } });
    expect(await read('once%2fmore')).toMatchObject({ data: { user: 'once/more' } });
    expect((await send('GET', 'once/more')).status).toBe(404);
  });

  test.each([
    ['a lone percent sign', '%'],
    ['half an escape', 'a%2'],
    ['no hexadecimal', '%zz'],
    ['half a character', '%E0%A4%A'],
    ['a surrogate', '%ED%A0%80'],
    ['a pair of surrogates, encoded apart', '%ED%A0%80%ED%B0%80'],
    ['an overlong slash', '%C0%AF'],
    ['a byte that is none', '%FF'],
    ['NUL', 'a%00b'],
    ['bytes that are not encoded', '\xc3\xa9'],
  ])('answers 400 with %s', async (_what, path) => {
    for (const method of ['GET', 'DELETE']) expect((await send(method, path)).status).toBe(400);
  });
});
