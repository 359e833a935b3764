import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
  dataOf,
  getPreset,
  makePreset,
  newSlug,
  pageOf,
  postChat,
  type WirePreset,
  type WirePresetVersion,
} from '../support/presets.ts';

let gateway: Gateway;
let manager: Caller;
let foreigner: Caller;
let neighbour: Caller;
let foreignKey: string;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
  const [foreign, near] = [await addOrganization(gateway), await addWorkspace(gateway)];
  const theirs = await addKey(gateway, { ...foreign, kind: 'management' });
  foreignKey = theirs.hash;
  foreigner = createCaller(gateway.origin, theirs.token);
  neighbour = createCaller(gateway.origin, (await addKey(gateway, { ...near, kind: 'management' })).token);
});

afterAll(() => gateway.close());

describe('a preset', () => {
  test('begins with its first version, and GET shows the whole record', async () => {
    const slug = newSlug();
    const { rows } = await gateway.database.query<{ id: string }>('select id from users');
    const creator = rows[0]!.id;
    const { token } = await addKey(gateway, { kind: 'management', creatorUserId: creator });
    const answer = await createCaller(gateway.origin, token).call('POST', `/presets/${slug}/messages`, {
      body: {
        model: 'local/echo-1',
        max_tokens: 64,
        temperature: 0.5,
        system: [
          { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
          { type: 'text', text: 'Be kind.' },
        ],
        messages: [{ role: 'user', content: 'Hello' }],
        stream: true,
        metadata: { user_id: 'u' },
        color: 'red',
      },
    });
    const made = await dataOf<WirePreset>(answer);
    const version = {
      id: made.designated_version_id,
      preset_id: made.id,
      version: 1,
      config: { model: 'local/echo-1', max_tokens: 64, temperature: 0.5 },
      system_prompt: 'Be brief.\n\nBe kind.',
      creator_id: creator,
      created_at: made.created_at,
      updated_at: made.created_at,
    };
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      slug,
      name: slug,
      description: null,
      status: 'active',
      status_updated_at: null,
      designated_version_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      creator_user_id: creator,
      workspace_id: gateway.workspaceId,
      created_at: expect.stringMatching(/Z$/),
      updated_at: made.created_at,
      designated_version: version,
    });
    expect(await getPreset(manager, slug)).toEqual(made);
    expect(await dataOf(await manager.call('GET', `/presets/${slug}/versions/1`))).toEqual(version);
  });

  test('has the same fields from each dialect', async () => {
    const conversation = { role: 'user', content: 'Hello' };
    const bodies: [path: string, body: object][] = [
      ['messages', { model: 'a/b', max_tokens: 5, system: 'Hi.', messages: [conversation] }],
      [
        'chat/completions',
        { model: 'a/b', max_tokens: 5, messages: [{ role: 'system', content: 'Hi.' }, conversation] },
      ],
      ['responses', { model: 'a/b', max_output_tokens: 5, instructions: 'Hi.', input: 'Hello' }],
    ];
    const slug = newSlug();
    for (const [index, [path, body]] of bodies.entries()) {
      const made = await dataOf<WirePreset>(await manager.call('POST', `/presets/${slug}/${path}`, { body }));
      expect(made.designated_version).toMatchObject({
        version: index + 1,
        config: { model: 'a/b', max_tokens: 5 },
        system_prompt: 'Hi.',
      });
    }
    const { data, total_count: total } = await pageOf<WirePresetVersion>(
      manager,
      `/presets/${slug}/versions`,
    );
    expect([data.map(({ version }) => version), total]).toEqual([[1, 2, 3], 3]);
  });

  test('names the key as its creator if the key has no user', async () => {
    const made = await makePreset(foreigner);
    expect([made.creator_user_id, made.designated_version.creator_id]).toEqual([null, foreignKey]);
  });

  test('keeps the order of the fields of a schema', async () => {
    const properties = { zebra: {}, a: {}, 'long-name': {}, b: {} };
    const slug = newSlug();
    await makePreset(manager, slug, {
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { properties } } },
    });
    const text = await (await manager.call('GET', `/presets/${slug}`)).text();
    expect(text).toContain(JSON.stringify(properties));
  });

  test.each(['a', 'A-b_c.d~e', '0', 'constructor', '__proto__', 'x'.repeat(128)])(
    'accepts the slug %s',
    async (slug) => {
      await makePreset(manager, slug, { model: 'a/b' });
      expect((await getPreset(manager, slug)).slug).toBe(slug);
      expect((await manager.call('DELETE', `/presets/${slug}`)).status).toBe(200);
    },
  );

  test.each([
    '%2e%2e%2f',
    '.hidden',
    'a%20b',
    'a%2Fb',
    '%00',
    '%ED%A0%80x',
    'caf%C3%A9',
    'x'.repeat(129),
    'a@b',
  ])('refuses the slug %s: 400 to create it, 404 to read it', async (slug) => {
    const made = await postChat(manager, slug, {});
    expect(made.status).toBe(400);
    const read = await manager.call('GET', `/presets/${slug}`);
    expect([400, 404]).toContain(read.status);
    if (!slug.includes('%ED')) expect(read.status).toBe(404);
  });

  test('holds at most 256 KiB', async () => {
    const content = 'x'.repeat(256 * 1024 - 2);
    const fits = await makePreset(manager, newSlug(), { messages: [{ role: 'system', content }] });
    expect(fits.designated_version.system_prompt).toHaveLength(content.length);
    const slug = newSlug();
    const messages = [{ role: 'system', content: `${content}x` }];
    const { code, metadata } = await errorOf(await postChat(manager, slug, { messages }));
    expect([code, metadata.issues]).toEqual([
      400,
      [{ path: 'body', message: expect.stringContaining('at most 262144 bytes') }],
    ]);
    expect((await manager.call('GET', `/presets/${slug}`)).status).toBe(404);
  });

  test('accepts a conversation of 1.5 MB to capture', async () => {
    const messages = Array.from({ length: 1_500 }, () => ({ role: 'user', content: 'y'.repeat(1_000) }));
    const made = await makePreset(manager, newSlug(), { model: 'a/b', messages });
    expect(made.designated_version).toMatchObject({ config: { model: 'a/b' }, system_prompt: null });
  });

  test('answers foreign callers as an unknown one, byte for byte', async () => {
    const { slug } = await makePreset(manager);
    const requests: [method: string, below: string, body?: object][] = [
      ['GET', ''],
      ['GET', '/versions'],
      ['GET', '/versions/1'],
      ['PATCH', '', { name: 'Mine' }],
      ['DELETE', ''],
    ];
    for (const caller of [foreigner, neighbour]) {
      for (const [method, below, body] of requests) {
        const ask = async (name: string) =>
          visibleParts(
            await caller.call(method, `/presets/${name}${below}`, body === undefined ? {} : { body }),
          );
        const unknown = await ask('no-such-preset');
        expect(unknown.status).toBe(404);
        expect(await ask(slug)).toEqual(unknown);
      }
      expect((await pageOf<WirePreset>(caller, '/presets')).data.map((one) => one.slug)).not.toContain(slug);
      // The slug is free for them, and theirs is another preset.
      const theirs = await makePreset(caller, slug, { model: 'c/d' });
      expect(theirs.designated_version.version).toBe(1);
    }
    expect((await getPreset(manager, slug)).designated_version).toMatchObject({ version: 1, config: {} });
  });

  test('answers 404 to every version that it does not have', async () => {
    const { slug } = await makePreset(manager);
    for (const version of ['2', '0', '01', '1.0', '-1', '1e0', '4294967297', 'latest', '%00']) {
      const answer = await manager.call('GET', `/presets/${slug}/versions/${version}`);
      expect([version, answer.status]).toEqual([version, 404]);
    }
  });
});

describe('the lists of presets and versions', () => {
  test('show presets page by page, the last changed first', async () => {
    const place = await addWorkspace(gateway);
    const caller = createCaller(
      gateway.origin,
      (await addKey(gateway, { ...place, kind: 'management' })).token,
    );
    expect(await pageOf(caller, '/presets')).toEqual({ data: [], total_count: 0 });
    const slugs = ['a', 'b', 'c', 'd', 'e'];
    for (const slug of slugs) await makePreset(caller, slug);
    await caller.call('PATCH', '/presets/b', { body: { name: 'B' } });
    const order = ['b', 'e', 'd', 'c', 'a'];
    for (const [query, expected] of [
      ['', order],
      ['?limit=2', ['b', 'e']],
      ['?limit=2&offset=2', ['d', 'c']],
      ['?limit=2&offset=4', ['a']],
      ['?offset=5', []],
    ] as const) {
      const page = await pageOf<WirePreset>(caller, `/presets${query}`);
      expect([page.data.map(({ slug }) => slug), page.total_count]).toEqual([expected, 5]);
    }
    for (const { designated_version: version } of (await pageOf<WirePreset>(caller, '/presets')).data) {
      expect(version).toBeUndefined();
    }
  });

  test('show versions page by page, the first one first', async () => {
    const slug = newSlug();
    for (let made = 0; made < 5; made += 1) await makePreset(manager, slug, { seed: made });
    const page = await pageOf<WirePresetVersion>(manager, `/presets/${slug}/versions?limit=2&offset=2`);
    expect([page.data.map(({ version, config }) => [version, config['seed']]), page.total_count]).toEqual([
      [
        [3, 2],
        [4, 3],
      ],
      5,
    ]);
  });

  test.each(['limit=0', 'limit=101', 'limit=x', 'offset=-1', 'limit=1&limit=2'])(
    'answer 400 to %s',
    async (query) => {
      const { slug } = await makePreset(manager);
      for (const path of ['/presets', `/presets/${slug}/versions`]) {
        expect((await manager.call('GET', `${path}?${query}`)).status).toBe(400);
      }
    },
  );
});
