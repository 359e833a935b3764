import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hashToken } from '../../services/accounts/identity/key-token.ts';
import { addKey, addWorkspace } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
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

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

const patch = (slug: string, body: object): Promise<Response> =>
  manager.call('PATCH', `/presets/${slug}`, { body });
const remove = (slug: string): Promise<Response> => manager.call('DELETE', `/presets/${slug}`);

describe('PATCH /presets/{slug}', () => {
  test('changes the named fields, and keeps the others', async () => {
    const made = await makePreset(manager, newSlug(), { model: 'a/b' });
    const { slug } = made;
    const named = await dataOf<WirePreset>(await patch(slug, { name: 'Reviewer', description: 'Reviews' }));
    const changed = { ...made, name: 'Reviewer', description: 'Reviews' };
    expect(named).toEqual({ ...changed, updated_at: expect.any(String) });
    expect(Date.parse(named.updated_at)).toBeGreaterThan(Date.parse(made.updated_at));

    const disabled = await dataOf<WirePreset>(await patch(slug, { status: 'disabled', description: null }));
    expect(disabled).toMatchObject({ status: 'disabled', description: null, name: 'Reviewer' });
    expect(disabled.status_updated_at).toBe(disabled.updated_at);
    const same = await dataOf<WirePreset>(await patch(slug, { status: 'disabled' }));
    expect(same.status_updated_at).toBe(disabled.status_updated_at);
    expect(await getPreset(manager, slug)).toEqual(same);
    // A disabled one can still be given a version, and stays disabled.
    expect(await makePreset(manager, slug)).toMatchObject({
      status: 'disabled',
      designated_version: { version: 2 },
    });
  });

  test('designates an earlier version; the next new version still gets number 3', async () => {
    const slug = newSlug();
    const first = await makePreset(manager, slug, { model: 'a/1' });
    await makePreset(manager, slug, { model: 'a/2' });
    const back = await dataOf<WirePreset>(await patch(slug, { designated_version: 1 }));
    expect(back.designated_version).toEqual(first.designated_version);
    const forth = (await pageOf<WirePresetVersion>(manager, `/presets/${slug}/versions`)).data[1]!;
    const byId = await dataOf<WirePreset>(await patch(slug, { designated_version_id: forth.id }));
    expect(byId.designated_version).toEqual(forth);
    await patch(slug, { designated_version: 1 });
    expect((await makePreset(manager, slug, { model: 'a/3' })).designated_version.version).toBe(3);
  });

  test.each<[object, string, string]>([
    [{ designated_version: 2 }, 'body.designated_version', 'is no version of this preset'],
    [{ designated_version: 0 }, 'body.designated_version', 'must be at least 1'],
    [{ designated_version: 2 ** 40 }, 'body.designated_version', 'must be at most 2147483647'],
    [
      { designated_version_id: crypto.randomUUID() },
      'body.designated_version_id',
      'is no version of this preset',
    ],
    [{ designated_version_id: 'latest' }, 'body.designated_version_id', 'must be a UUID'],
    [
      { designated_version: 1, designated_version_id: crypto.randomUUID() },
      'body.designated_version_id',
      'cannot be combined with designated_version',
    ],
    [{ name: '' }, 'body.name', 'must not be empty'],
    [{ name: 'n'.repeat(101) }, 'body.name', 'must have at most 100 characters'],
    [{ name: '\ud800' }, 'body.name', 'must be Unicode text without NUL'],
    [{ description: 'd'.repeat(501) }, 'body.description', 'must have at most 500 characters'],
    [{ status: 'archived' }, 'body.status', 'must be one of active, disabled'],
  ])('answers 400 to %j, names the field, and changes nothing', async (body, path, message) => {
    const before = await makePreset(manager);
    const { code, metadata } = await errorOf(await patch(before.slug, { description: 'Changed', ...body }));
    expect([code, metadata.issues?.map((issue) => issue.path)]).toEqual([400, [path]]);
    expect(metadata.issues?.[0]?.message).toContain(message);
    expect(await getPreset(manager, before.slug)).toEqual(before);
  });

  test('answers 400 to the version of another preset', async () => {
    const [mine, other] = [await makePreset(manager), await makePreset(manager)];
    const refused = await patch(mine.slug, { designated_version_id: other.designated_version_id });
    expect((await errorOf(refused)).metadata.issues).toEqual([
      { path: 'body.designated_version_id', message: 'is no version of this preset' },
    ]);
  });

  test('answers 400 to a body without a field that can be changed', async () => {
    const { slug } = await makePreset(manager);
    for (const body of [{}, { slug: 'other' }]) {
      expect(await errorOf(await patch(slug, body))).toMatchObject({
        code: 400,
        message: 'No update fields provided',
      });
    }
  });
});

describe('an archived preset', () => {
  test('appears in no list, answers changes with 409, and becomes active by its status', async () => {
    const { slug, name } = await makePreset(manager, newSlug(), { model: 'a/b' });
    expect(JSON.parse(await (await remove(slug)).text())).toEqual({ deleted: true });
    const archived = await getPreset(manager, slug);
    expect(archived).toMatchObject({ status: 'archived', status_updated_at: archived.updated_at });

    const conflict = {
      code: 409,
      message: 'The preset is archived',
      metadata: { reason: 'preset_archived', retryable: false },
    };
    expect(await errorOf(await postChat(manager, slug, {}))).toEqual(conflict);
    expect(await errorOf(await patch(slug, { name: 'Other' }))).toEqual(conflict);
    expect((await remove(slug)).status).toBe(200);
    expect(await getPreset(manager, slug)).toEqual(archived);

    const listed = async (query: string) =>
      (await pageOf<WirePreset>(manager, `/presets?limit=100${query}`)).data.map((one) => one.slug);
    expect(await listed('')).not.toContain(slug);
    expect(await listed('&include_archived=false')).not.toContain(slug);
    expect(await listed('&include_archived=true')).toContain(slug);

    expect(await dataOf(await patch(slug, { status: 'active' }))).toMatchObject({ status: 'active', name });
    expect((await makePreset(manager, slug)).designated_version.version).toBe(2);
  });
});

describe('an Idempotency-Key', () => {
  const post = (slug: string, key: string, body: object): Promise<Response> =>
    manager.call('POST', `/presets/${slug}/chat/completions`, { body, headers: { 'idempotency-key': key } });

  test('makes one version for repeated requests, concurrent ones included', async () => {
    const slug = newSlug();
    const answers = await Promise.all([post(slug, slug, { seed: 1 }), post(slug, slug, { seed: 1 })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const again = await post(slug, slug, { seed: 1 });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const [first, ...others] = await Promise.all([...answers, again].map((answer) => dataOf(answer)));
    for (const other of others) expect(other).toEqual(first);
    expect((await getPreset(manager, slug)).designated_version.version).toBe(1);
  });

  test('answers 422 to another body or another preset', async () => {
    const slug = newSlug();
    await post(slug, slug, { seed: 1 });
    expect((await post(slug, slug, { seed: 2 })).status).toBe(422);
    expect((await post(newSlug(), slug, { seed: 1 })).status).toBe(422);
  });

  test('makes a preset of its own in another workspace', async () => {
    const slug = newSlug();
    await post(slug, slug, { seed: 1 });
    const place = await addWorkspace(gateway);
    const { token } = await addKey(gateway, { ...place, kind: 'management' });
    const elsewhere = createCaller(gateway.origin, token);
    const answer = await elsewhere.call('POST', `/presets/${slug}/chat/completions`, {
      body: { seed: 1 },
      headers: { 'idempotency-key': slug },
    });
    expect(answer.headers.get('idempotent-replayed')).toBeNull();
    expect(await dataOf(answer)).toMatchObject({ workspace_id: place.workspaceId });
  });
});

describe('the audit log', () => {
  test('names key, operation, preset and request of each successful write only', async () => {
    const slug = newSlug();
    const headers = (id: string) => ({ 'x-request-id': id });
    const writes: [method: string, below: string, body: object | undefined, action: string][] = [
      ['POST', '/messages', {}, 'createPresetFromMessages'],
      ['POST', '/chat/completions', {}, 'createPresetFromChatCompletion'],
      ['POST', '/responses', {}, 'createPresetFromResponse'],
      ['PATCH', '', { name: 'n' }, 'updatePreset'],
      ['DELETE', '', undefined, 'deletePreset'],
    ];
    for (const [method, below, body, action] of writes) {
      await manager.call(method, `/presets/${slug}${below}`, {
        headers: headers(action),
        ...(body === undefined ? {} : { body }),
      });
    }
    await remove(slug);
    await postChat(manager, slug, {});
    await patch(slug, { status: 'active', designated_version: 9 });
    const { id } = await getPreset(manager, slug);
    expect(await auditRows(gateway, `presets/${id}`)).toEqual(
      writes.map(([, , , action]) => ({
        organization_id: gateway.organizationId,
        key_hash: hashToken(gateway.managementKey),
        action,
        target: `presets/${id}`,
        request_id: action,
      })),
    );
  });

  test('rolls the preset back when its row cannot be written', async () => {
    const slug = newSlug();
    await gateway.database.query('alter table audit_log rename to audit_log_away');
    try {
      expect((await postChat(manager, slug, {})).status).toBe(500);
    } finally {
      await gateway.database.query('alter table audit_log_away rename to audit_log');
    }
    expect((await manager.call('GET', `/presets/${slug}`)).status).toBe(404);
  });
});
