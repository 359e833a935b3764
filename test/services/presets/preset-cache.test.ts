import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAccountStore } from '../../../db/accounts/account-store.ts';
import { createDatabase, type Database } from '../../support/open-database.ts';
import { createListener, type Listener } from '../../../db/postgres/listener.ts';
import { createPresetStore, type PresetStore } from '../../../db/presets/preset-store.ts';
import { newUuid } from '../../../domain/ids.ts';
import type { PresetConfig } from '../../../domain/presets/preset.ts';
import { createPresetCache } from '../../../services/presets/preset-cache.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let testDatabase: TestDatabase;
let database: Database;
let store: PresetStore;
const organizationId = newUuid();
const [workspaceId, otherWorkspaceId] = [newUuid(), newUuid()];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = createDatabase({ url: testDatabase.url, poolMax: 2 });
  store = createPresetStore(database.knex);
  const accounts = createAccountStore(database.knex);
  const account = { id: organizationId, name: 'Test', creditEnforcement: false, entitlements: [] };
  await accounts.insertOrganization(account);
  for (const id of [workspaceId, otherWorkspaceId]) {
    await accounts.insertWorkspace({
      id,
      organizationId,
      name: 'Test',
      slug: `w-${id.slice(0, 8)}`,
      isDefault: id === workspaceId,
      defaultCallbackUrl: null,
      createdBy: null,
    });
  }
});

afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

async function save(slug: string, config: PresetConfig, systemPrompt: string | null = null): Promise<string> {
  const saved = await database.knex.transaction((transaction) =>
    createPresetStore(transaction).save({
      workspaceId,
      slug,
      config,
      systemPrompt,
      creatorUserId: null,
      creatorId: 'test',
    }),
  );
  if (typeof saved === 'string') throw new Error(saved);
  return saved.id;
}

/** A cache over the real store, with a clock to set, and each read counted and, when asked, held back. */
function setUp() {
  const control = { nowMs: 0, listening: true, reads: 0, holdAnswer: Promise.resolve() };
  const cache = createPresetCache({
    store: {
      async findInUse(...names) {
        const { holdAnswer } = control;
        const preset = await store.findInUse(...names);
        control.reads += 1;
        await holdAnswer;
        return preset;
      },
    },
    notices: { isConnected: () => control.listening, heardUntilMs: () => -Infinity },
    now: () => control.nowMs,
  });
  return { control, cache };
}

describe('a preset in use', () => {
  test('costs one read, however many requests ask at once', async () => {
    const { control, cache } = setUp();
    const presetId = await save('once', { model: 'a/b' }, 'Be brief.');
    const expected = { presetId, config: { model: 'a/b' }, systemPrompt: 'Be brief.' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => cache.find(workspaceId, 'once')));
    for (const answer of [...answers, await cache.find(workspaceId, 'once')])
      expect(answer).toEqual(expected);
    expect(control.reads).toBe(1);
  });

  test('costs another read after 30 s, or after 1 s without a listener', async () => {
    const { control, cache } = setUp();
    await save('old', {});
    await cache.find(workspaceId, 'old');
    control.nowMs = 29_999;
    await cache.find(workspaceId, 'old');
    expect(control.reads).toBe(1);
    control.nowMs = 30_000;
    await cache.find(workspaceId, 'old');
    expect(control.reads).toBe(2);
    control.listening = false;
    control.nowMs += 999;
    await cache.find(workspaceId, 'old');
    expect(control.reads).toBe(2);
    control.nowMs += 1;
    await cache.find(workspaceId, 'old');
    expect(control.reads).toBe(3);
  });

  test('cannot be changed by a request that received it', async () => {
    const { cache } = setUp();
    await save('frozen', { provider: { only: ['acme'] } });
    const found = (await cache.find(workspaceId, 'frozen'))!;
    const provider = found.config['provider'] as { only: string[] };
    for (const change of [
      () => Object.assign(found, { systemPrompt: 'x' }),
      () => Object.assign(found.config, { model: 'a/b' }),
      () => provider.only.push('other'),
    ]) {
      expect(change).toThrow(TypeError);
    }
  });

  test('belongs to its workspace only', async () => {
    const { cache } = setUp();
    await save('mine', {});
    expect(await cache.find(otherWorkspaceId, 'mine')).toBeNull();
  });

  test('disappears when it is disabled or archived, and returns when it is active', async () => {
    const { cache } = setUp();
    const id = await save('switch', {});
    for (const [status, isThere] of [
      ['disabled', false],
      ['active', true],
      ['archived', false],
    ] as const) {
      await store.update(id, { status });
      cache.forget(workspaceId, 'switch');
      expect([status, (await cache.find(workspaceId, 'switch')) !== null]).toEqual([status, isThere]);
    }
  });

  test('has its designated version and not its last', async () => {
    const { cache } = setUp();
    const id = await save('back', { seed: 1 });
    await save('back', { seed: 2 });
    expect((await cache.find(workspaceId, 'back'))?.config).toEqual({ seed: 2 });
    const first = (await store.findVersion(id, { version: 1 }))!;
    await store.update(id, { designatedVersionId: first.id });
    cache.forget(workspaceId, 'back');
    expect((await cache.find(workspaceId, 'back'))?.config).toEqual({ seed: 1 });
  });
});

describe('a missing preset', () => {
  test('leaves no entry of its absence in the cache', async () => {
    const { cache } = setUp();
    expect(await cache.find(workspaceId, 'later')).toBeNull();
    await save('later', {});
    expect(await cache.find(workspaceId, 'later')).not.toBeNull();
  });

  test('appears once created, even to a request that joins an earlier read', async () => {
    const { control, cache } = setUp();
    let release = (): void => {};
    control.holdAnswer = new Promise((resolve) => {
      release = resolve;
    });
    const early = cache.find(workspaceId, 'joined');
    // The read has its answer by now, and keeps it back.
    while (control.reads === 0) await new Promise(setImmediate);
    await save('joined', {});
    const late = cache.find(workspaceId, 'joined');
    control.holdAnswer = Promise.resolve();
    release();
    expect(await late).not.toBeNull();
    await early;
  });

  test.each(['', '.', 'a/b', 'a\0b', '\ud800', "'; drop table presets", 'x'.repeat(129)])(
    'costs no read under the impossible name %j',
    async (slug) => {
      const { control, cache } = setUp();
      expect(await cache.find(workspaceId, slug)).toBeNull();
      expect(control.reads).toBe(0);
    },
  );
});

describe('a preset read before a change', () => {
  test('stays out of the cache when the change arrives during the read', async () => {
    const { control, cache } = setUp();
    await save('race', { seed: 1 });
    let release = (): void => {};
    control.holdAnswer = new Promise((resolve) => {
      release = resolve;
    });
    const early = cache.find(workspaceId, 'race');
    while (control.reads === 0) await new Promise(setImmediate);
    await save('race', { seed: 2 });
    cache.forgetNoticed(`${workspaceId}/race`);
    control.holdAnswer = Promise.resolve();
    release();
    expect((await early)?.config).toEqual({ seed: 1 });
    expect((await cache.find(workspaceId, 'race'))?.config).toEqual({ seed: 2 });
  });

  test('leaves the cache when notices may be lost', async () => {
    const { cache } = setUp();
    await save('missed', { seed: 1 });
    await cache.find(workspaceId, 'missed');
    await save('missed', { seed: 2 });
    expect((await cache.find(workspaceId, 'missed'))?.config).toEqual({ seed: 1 });
    cache.forgetAll();
    expect((await cache.find(workspaceId, 'missed'))?.config).toEqual({ seed: 2 });
  });
});

test("Postgres announces each change of a preset under the cache's name for it", async () => {
  const payloads: string[] = [];
  let heard = (): void => {};
  const waitFor = (count: number): Promise<void> =>
    new Promise((resolve) => {
      heard = () => {
        if (payloads.length >= count) resolve();
      };
      heard();
    });
  let listener: Listener | undefined;
  await new Promise<void>((resolve, reject) => {
    listener = createListener({
      url: testDatabase.url,
      channels: ['sluice_presets'],
      onNotice: (_channel, payload) => {
        payloads.push(payload);
        heard();
      },
      onConnected: resolve,
      onLost: reject,
    });
  });
  const { cache } = setUp();
  const id = await save('announced', { seed: 1 });
  await cache.find(workspaceId, 'announced');
  await save('announced', { seed: 2 });
  await store.update(id, { status: 'disabled' });
  await waitFor(3);
  for (const payload of payloads) cache.forgetNoticed(payload);
  expect(await cache.find(workspaceId, 'announced')).toBeNull();
  await listener?.close();
});
