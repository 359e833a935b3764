import { describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addUser, type Place } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import type { Gateway } from '../support/gateway.ts';
import { makeKey } from '../support/keys.ts';
import { useOrganization } from '../support/organizations.ts';
import { startReplica } from '../support/replica.ts';
import {
  getWorkspace,
  listWorkspaces,
  makeWorkspace,
  postWorkspace,
  workspaceOf,
} from '../support/workspaces.ts';

let gateway: Gateway;
let place: Place;
let manager: Caller;

useOrganization((opened) => ({ gateway, place, manager } = opened));

const slugs = async (query: string): Promise<string[]> =>
  (await listWorkspaces(manager, query)).data.map(({ slug }) => slug);

/** Rows as of so many workspaces that were made before. */
async function haveMade(count: number, deletedAt: Date | null): Promise<void> {
  await gateway.database.query(
    `insert into workspaces (id, organization_id, name, slug, deleted_at)
     select gen_random_uuid(), $1, 'One of many', 'one-of-many-' || n, $3::timestamptz from generate_series(1, $2::int) n`,
    [place.organizationId, count, deletedAt],
  );
}

describe('an organization', () => {
  const oneTooMany = {
    code: 400,
    metadata: {
      reason: 'too_many_workspaces',
      issues: [
        {
          path: 'body',
          message: 'would be one too many: an organization may have 1000 workspaces at once and 10000 in all',
        },
      ],
    },
  };

  test('gets 400 for more than a thousand workspaces at once', async () => {
    await haveMade(998, null);
    await makeWorkspace(manager, 'last');
    const slug = { name: 'More', slug: 'more' };
    expect(await errorOf(await postWorkspace(manager, slug))).toMatchObject(oneTooMany);
    expect((await manager.call('DELETE', '/workspaces/last')).status).toBe(200);
    await makeWorkspace(manager, 'more');
  });

  test('gets 400 for more than ten thousand workspaces in all, deleted ones included', async () => {
    await haveMade(9_998, new Date());
    await makeWorkspace(manager, 'last');
    expect((await manager.call('DELETE', '/workspaces/last')).status).toBe(200);
    const slug = { name: 'More', slug: 'more' };
    expect(await errorOf(await postWorkspace(manager, slug))).toMatchObject(oneTooMany);
  });
});

describe('a new workspace', () => {
  test('has its name, its slug and the defaults of every workspace', async () => {
    const made = await makeWorkspace(manager, 'production', { name: 'Production' });
    const usual = await getWorkspace(manager, place.workspaceId);
    expect(made).toEqual({
      ...usual,
      id: expect.not.stringMatching(usual.id),
      name: 'Production',
      slug: 'production',
      default_guardrail_id: expect.not.stringMatching(usual.default_guardrail_id),
      created_at: expect.any(String),
      updated_at: null,
    });
    expect(await getWorkspace(manager, 'production')).toEqual(made);
    const { record } = await makeKey(manager, { workspace_id: made.id });
    expect(record.workspace_id).toBe(made.id);
  });

  test('has the requested settings and the user of the key that made it', async () => {
    const creatorUserId = await addUser(gateway, place.organizationId);
    const key = await addKey(gateway, { ...place, kind: 'management', creatorUserId });
    const settings = {
      description: 'Films',
      default_text_model: 'vendor/writer',
      default_image_model: null,
      default_provider_sort: 'latency',
      default_callback_url: 'https://app.example.com/hooks',
      disabled_server_tools: ['openrouter:bash'],
      io_logging_api_key_ids: [1, 2],
      io_logging_sampling_rate: 0.5,
      is_data_discount_logging_enabled: true,
      is_observability_broadcast_enabled: false,
      is_observability_io_logging_enabled: true,
    };
    const made = await makeWorkspace(createCaller(gateway.origin, key.token), 'studio', settings);
    expect(made).toMatchObject({ ...settings, created_by: creatorUserId });
  });

  test('ignores fields that only the gateway sets', async () => {
    const id = '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21';
    const mine = {
      id,
      default_guardrail_id: id,
      include_byok_in_budgets: true,
      created_at: '2001-01-01T00:00:00Z',
    };
    const made = await makeWorkspace(manager, 'mine', { ...mine, is_default: true });
    expect(made).toMatchObject({ include_byok_in_budgets: false });
    expect([made.id, made.default_guardrail_id]).not.toContain(id);
    expect(Date.parse(made.created_at)).toBeGreaterThan(Date.parse('2020-01-01'));
  });

  test('has a webhook secret from the beginning', async () => {
    const { id } = await makeWorkspace(manager, 'signing');
    const rotated = await manager.call('POST', `/workspaces/${id}/webhook-secret/rotate`);
    const { data } = (await rotated.json()) as { data: { previous_secret_expires_at: string | null } };
    expect(data.previous_secret_expires_at).not.toBeNull();
  });

  test.each<[string, object, string]>([
    ['no name', { name: undefined }, 'body.name'],
    ['no slug', { slug: undefined }, 'body.slug'],
    ['a slug like an id', { slug: '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21' }, 'body.slug'],
    ['the slug of a deleted one', { slug: 'deleted-4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21' }, 'body.slug'],
    ['a name with NUL', { name: 'a\0' }, 'body.name'],
    ['a name with half a character', { name: '\ud800' }, 'body.name'],
    ['an upper-case slug', { slug: 'A' }, 'body.slug'],
    [
      'a callback nobody may call',
      { default_callback_url: 'https://10.0.0.1/' },
      'body.default_callback_url',
    ],
  ])('answers 400 naming the field for %s', async (_what, body, path) => {
    const refused = await postWorkspace(manager, { name: 'x', slug: 'x', ...body });
    expect((await errorOf(refused)).metadata.issues).toEqual([{ path, message: expect.any(String) }]);
    expect((await listWorkspaces(manager)).total_count).toBe(1);
  });

  test('answers 400 for a taken slug, and one of four simultaneous requests wins', async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => postWorkspace(manager, { name: 'x', slug: 'wanted' })),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, 400, 400, 400]);
    const refused = answers.find(({ status }) => status === 400)!;
    expect((await errorOf(refused)).metadata.issues).toEqual([
      { path: 'body.slug', message: 'is the slug of another workspace' },
    ]);
    const theirs = await addKey(gateway, { ...(await addOrganization(gateway)), kind: 'management' });
    await makeWorkspace(createCaller(gateway.origin, theirs.token), 'wanted');
  });

  test('exists once after repeated requests, which get the first answer', async () => {
    const headers = { 'idempotency-key': 'again' };
    const body = { name: 'Once', slug: 'once' };
    const answers = await Promise.all([1, 2, 3].map(() => postWorkspace(manager, body, headers)));
    answers.push(await postWorkspace(manager, body, headers));
    const made = await Promise.all(answers.map((answer) => workspaceOf(answer, 201)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect((await postWorkspace(manager, { name: 'Other', slug: 'other' }, headers)).status).toBe(422);
  });

  test("appears again in a retry's answer after its callback URL became forbidden", async () => {
    const strict = await startReplica(gateway, () => ({ outbound: { allow: [] } }));
    try {
      const { token } = await addKey(gateway, { ...place, kind: 'management' });
      const body = { name: 'Hooked', slug: 'hooked', default_callback_url: 'http://127.0.0.1:9/hook' };
      const headers = { 'idempotency-key': 'hooked' };
      const elsewhere = createCaller(strict.origin, token);
      expect((await errorOf(await postWorkspace(elsewhere, body))).metadata.issues).toMatchObject([
        { path: 'body.default_callback_url' },
      ]);
      const made = await workspaceOf(await postWorkspace(manager, body, headers), 201);
      expect(await workspaceOf(await postWorkspace(elsewhere, body, headers), 201)).toEqual(made);
    } finally {
      await strict.close();
    }
  });

  test('writes an audit row, and none when refused', async () => {
    const { id } = await makeWorkspace(manager, 'seen');
    expect(await auditRows(gateway, `workspaces/${id}`)).toMatchObject([{ action: 'createWorkspace' }]);
    await postWorkspace(manager, { name: 'x', slug: 'seen' });
    const log = (await (await manager.call('GET', '/audit-log')).json()) as { total_count: number };
    expect(log.total_count).toBe(1);
  });
});

describe('the list of workspaces', () => {
  test('shows those of the organization, oldest first', async () => {
    const { slug: usual } = await getWorkspace(manager, place.workspaceId);
    for (const slug of ['b', 'a', 'c']) await makeWorkspace(manager, slug);
    expect(await slugs('')).toEqual([usual, 'b', 'a', 'c']);
    expect(await slugs('?limit=2&offset=1')).toEqual(['b', 'a']);
    expect(await listWorkspaces(manager, '?offset=9')).toEqual({ data: [], total_count: 4 });
  });

  test('pages without gap or duplicate while others are made', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, n) => makeWorkspace(manager, `there-${n}`)));
    const seen: string[] = [];
    for (let offset = 0; offset < 30; offset += 3) {
      const page = await slugs(`?limit=3&offset=${offset}`);
      seen.push(...page);
      if (page.length < 3) break;
      await Promise.all([1, 2].map((n) => makeWorkspace(manager, `new-${offset}-${n}`)));
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((slug) => slug.startsWith('there-'))).toHaveLength(8);
  });

  test.each(['limit=0', 'limit=101', 'offset=-1', 'limit=x'])('answers 400 for %s', async (query) => {
    expect((await errorOf(await manager.call('GET', `/workspaces?${query}`))).code).toBe(400);
  });
});
