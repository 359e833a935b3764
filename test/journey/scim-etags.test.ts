import { describe, expect, test } from '@jest/globals';
import { type ScimClient, userOf, useScim } from '../support/scim.ts';

let client: ScimClient;

useScim((_, opened) => (client = opened));

const KINDS = [
  ['user', '/Users', () => userOf(), { Operations: [{ op: 'replace', path: 'nickName', value: 'A' }] }],
  [
    'group',
    '/Groups',
    () => ({ displayName: crypto.randomUUID() }),
    { Operations: [{ op: 'add', path: 'members', value: [{ value: 'x' }] }] },
  ],
] as const;

describe.each(KINDS)('the version of a %s', (_kind, folder, draft, changes) => {
  async function create(): Promise<{ path: string; etag: string; sent: object }> {
    const sent = draft();
    const { body, headers } = await client.call('POST', folder, sent);
    return { path: `${folder}/${body.id}`, etag: headers.get('etag')!, sent };
  }

  test('answers 304 to a reader who has it', async () => {
    const { path, etag } = await create();
    for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const answer = await client.call('GET', path, undefined, { 'if-none-match': known });
      expect([answer.status, answer.body, answer.headers.get('etag')]).toEqual([304, undefined, etag]);
    }
    const stale = await client.call('GET', path, undefined, { 'if-none-match': 'W/"0"' });
    expect(stale.status).toBe(200);
  });

  test('changes with every write, and outdated writes get 412', async () => {
    const { path, etag, sent } = await create();
    const current = await client.call('PATCH', path, changes, { 'if-match': etag });
    expect(current.headers.get('etag')).toBe('W/"2"');
    for (const [method, body] of [
      ['PATCH', changes],
      ['PUT', sent],
      ['DELETE', undefined],
    ] as const) {
      const refused = await client.call(method, path, body, { 'if-match': etag });
      expect([refused.status, refused.body]).toEqual([
        412,
        {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
          status: '412',
          detail: 'The resource has changed: its version is W/"2"',
        },
      ]);
    }
    expect((await client.call('GET', path)).headers.get('etag')).toBe('W/"2"');
    expect((await client.call('PUT', path, sent, { 'if-match': '*' })).status).toBe(200);
    const { headers } = await client.call('GET', path);
    const gone = await client.call('DELETE', path, undefined, { 'if-match': headers.get('etag')! });
    expect(gone.status).toBe(204);
  });

  test('permits a write that names it among others', async () => {
    const { path, etag, sent } = await create();
    const others = await client.call('PUT', path, sent, { 'if-match': '"other", W/"7"' });
    expect(others.status).toBe(412);
    const named = await client.call('PATCH', path, changes, { 'if-match': `"other", ${etag}` });
    expect([named.status, named.headers.get('etag')]).toEqual([200, 'W/"2"']);
  });

  test('permits one of two concurrent writers, and answers 412 to the other', async () => {
    const { path, etag } = await create();
    const answers = await Promise.all(
      ['1', '2'].map((value) => {
        const operation =
          folder === '/Users'
            ? { op: 'replace', path: 'nickName', value }
            : { op: 'add', path: 'members', value: [{ value }] };
        return client.call('PATCH', path, { Operations: [operation] }, { 'if-match': etag });
      }),
    );
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(1);
  });
});
