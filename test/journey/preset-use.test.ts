import { describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { eventually } from '../support/eventually.ts';
import type { Gateway } from '../support/gateway.ts';
import { dataOf, makePreset, newSlug, postChat, type WirePreset } from '../support/presets.ts';
import { type Replica, useReplica } from '../support/replica.ts';

let gateway: Gateway;
let second: Replica;
let manager: Caller;
let callers: [Caller, Caller];

useReplica((...opened) => {
  [gateway, second] = opened;
  manager = createCaller(gateway.origin, gateway.managementKey);
  callers = [createCaller(gateway.origin, gateway.apiKey), createCaller(second.origin, gateway.apiKey)];
});

const messages = [{ role: 'user', content: 'Hello' }];

function chat(body: object, caller = callers[0]): Promise<Response> {
  return caller.call('POST', '/chat/completions', { body: { messages, ...body } });
}

/** What the upstream was sent for a request that must succeed. */
async function sentFor(body: object, caller = callers[0]): Promise<Record<string, unknown>> {
  const answer = await chat(body, caller);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
  return gateway.upstream.requests('chat').at(-1)?.fields ?? {};
}

/** An entry of which nothing is told lives for 30 s; what takes as long was not told. */
const PATIENCE_MS = 15_000;

function soon(what: string, holds: () => Promise<boolean>): Promise<true> {
  return eventually(what, async () => ((await holds()) ? true : undefined), PATIENCE_MS);
}

describe('a null field beside a preset', () => {
  test.each([
    ['chat/completions', { messages }],
    ['messages', { messages }],
    ['responses', { input: 'Hello' }],
  ])("keeps the preset's value in /%s", async (path, body) => {
    const { slug } = await makePreset(manager, newSlug(), {
      model: 'local/echo-1',
      temperature: 0.25,
      max_tokens: 50,
      messages,
    });
    const nulls = { model: null, temperature: null, max_tokens: null, max_output_tokens: null };
    const answer = await callers[0].call('POST', `/${path}`, { body: { ...nulls, ...body, preset: slug } });
    await answer.arrayBuffer();
    expect(answer.status).toBe(200);
    const sent = gateway.upstream.requests('chat').at(-1)?.fields;
    expect(sent).toMatchObject({ temperature: 0.25 });
    expect(Object.values(sent ?? {})).toContain(50);
    expect(Object.values(sent ?? {})).not.toContain(null);
  });
});

describe('a request that names a preset', () => {
  test.each([
    ['in place of its model', (slug: string) => ({ model: `@preset/${slug}` })],
    ['behind its model', (slug: string) => ({ model: `local/echo-1@preset/${slug}` })],
    ['in a field', (slug: string) => ({ preset: slug })],
    ['in a field beside its model', (slug: string) => ({ preset: slug, model: 'local/echo-1' })],
  ])("goes upstream with the preset's fields and not its name: %s", async (_where, names) => {
    const { slug } = await makePreset(manager, newSlug(), {
      model: 'local/echo-1',
      temperature: 0.25,
      max_tokens: 50,
      provider: { only: ['local'] },
      messages: [{ role: 'system', content: 'Be brief.' }],
    });
    const sent = await sentFor({ ...names(slug), max_tokens: 20 });
    expect(sent).toMatchObject({
      model: 'echo-1',
      temperature: 0.25,
      max_tokens: 20,
      messages: [{ role: 'system', content: 'Be brief.' }, ...messages],
    });
    for (const field of ['preset', 'provider']) expect(sent).not.toHaveProperty(field);
  });

  test('overrides the preset\'s sort with route "fallback"', async () => {
    await addChatModel(gateway, 'test/free', [
      { provider: 'local', pricing: { prompt: '0', completion: '0' } },
    ]);
    const { slug } = await makePreset(manager, newSlug(), {
      models: ['local/echo-1', 'test/free'],
      provider: { sort: { by: 'price', partition: 'none' } },
    });
    const answering = async (body: object) => ((await (await chat(body)).json()) as { model: string }).model;
    expect(await answering({ preset: slug })).toBe('test/free');
    expect(await answering({ preset: slug, route: 'fallback' })).toBe('local/echo-1');
  });

  test('uses the designated version at once on the replica of the change', async () => {
    const slug = newSlug();
    for (const seed of [1, 2, 3]) {
      await makePreset(manager, slug, { model: 'local/echo-1', seed });
      expect(await sentFor({ preset: slug })).toMatchObject({ seed });
    }
    await dataOf(await manager.call('PATCH', `/presets/${slug}`, { body: { designated_version: 1 } }));
    expect(await sentFor({ preset: slug })).toMatchObject({ seed: 1 });
  });

  test('finds a new preset on every replica after an earlier 404', async () => {
    const slug = newSlug();
    for (const caller of callers) expect((await chat({ preset: slug }, caller)).status).toBe(404);
    await makePreset(manager, slug, { model: 'local/echo-1', seed: 7 });
    for (const caller of callers) expect(await sentFor({ preset: slug }, caller)).toMatchObject({ seed: 7 });
  });

  test('sees every change on the other replica', async () => {
    const slug = newSlug();
    await makePreset(manager, slug, { model: 'local/echo-1', seed: 1 });
    await sentFor({ preset: slug }, callers[1]);
    await makePreset(manager, slug, { model: 'local/echo-1', seed: 2 });
    await soon('the new version', async () => (await sentFor({ preset: slug }, callers[1]))['seed'] === 2);
    await manager.call('DELETE', `/presets/${slug}`);
    await soon(
      'the end of the preset',
      async () => (await chat({ preset: slug }, callers[1])).status === 404,
    );
  });

  test('needs no database once the preset is in the cache', async () => {
    const { slug } = await makePreset(manager, newSlug(), { model: 'local/echo-1' });
    // The notice of the preset's own making may come after the first request, and make it be read again.
    await soon('an answer without the database', async () => {
      await sentFor({ preset: slug });
      await gateway.database.query('alter table preset_versions rename to preset_versions_away');
      try {
        return (await chat({ preset: slug })).status === 200;
      } finally {
        await gateway.database.query('alter table preset_versions_away rename to preset_versions');
      }
    });
  });

  test('answers the same 404 if the preset is disabled, archived, foreign or malformed', async () => {
    const [disabled, archived, foreign, neighbour] = [newSlug(), newSlug(), newSlug(), newSlug()];
    for (const slug of [disabled, archived]) await makePreset(manager, slug, { model: 'local/echo-1' });
    await manager.call('PATCH', `/presets/${disabled}`, { body: { status: 'disabled' } });
    await manager.call('DELETE', `/presets/${archived}`);
    for (const [slug, place] of [
      [foreign, await addOrganization(gateway)],
      [neighbour, await addWorkspace(gateway)],
    ] as const) {
      const { token } = await addKey(gateway, { ...place, kind: 'management' });
      await makePreset(createCaller(gateway.origin, token), slug, { model: 'local/echo-1' });
    }
    const unknown = await visibleParts(await chat({ preset: 'no-such-preset' }));
    expect(unknown.status).toBe(404);
    for (const slug of [disabled, archived, foreign, neighbour, '__proto__', 'a/b', '.', 'x y']) {
      expect(await visibleParts(await chat({ preset: slug }))).toEqual(unknown);
      expect(await visibleParts(await chat({ model: `@preset/${slug}` }))).toEqual(unknown);
    }
    await manager.call('PATCH', `/presets/${disabled}`, { body: { status: 'active' } });
    expect((await chat({ preset: disabled })).status).toBe(200);
  });

  test('answers 400 if it names two presets', async () => {
    const { metadata } = await errorOf(await chat({ model: '@preset/a', preset: 'b' }));
    expect(metadata.issues).toEqual([
      { path: 'body.preset', message: 'must be the preset that model names' },
    ]);
  });
});

test('a preset sends upstream what its captured request sent', async () => {
  const captured = {
    model: 'local/echo-1',
    temperature: 0.5,
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
    messages: [{ role: 'system', content: 'Be brief.' }, ...messages],
  };
  const slug = newSlug();
  const before = await sentFor(captured);
  await dataOf<WirePreset>(await postChat(manager, slug, captured));
  expect(await sentFor({ model: `@preset/${slug}` })).toEqual(before);
  expect(await sentFor({ ...captured, model: `@preset/${slug}` })).toEqual(before);
});
