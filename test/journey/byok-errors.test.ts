import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization, addUser, addWorkspace, type Place } from '../support/accounts.ts';
import {
  byokIssuesOf,
  byokKeyOf,
  deleteByokKey,
  getByokKey,
  listByokKeys,
  makeByokKey,
  patchByokKey,
  postByokKey,
  SECRET,
  updateByokKey,
} from '../support/byok.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { copyRows } from '../support/copy-rows.ts';

let gateway: Gateway;
let manager: Caller;
let foreign: Place;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
  foreign = await addOrganization(gateway);
  await gateway.database.query(
    `insert into providers (slug, name, adapter, facts, source) values
       ('azure', 'Azure', 'azure', '{}', 'bundled'), ('homeless', 'Homeless', 'openai', '{}', 'imported')
     on conflict do nothing`,
  );
  await gateway.database.query(
    `insert into providers (slug, name, adapter, base_url, facts, source)
     values ('housed', 'Housed', 'openai-compatible', 'https://operator.example/v1', '{}', 'imported')`,
  );
  const broken = { provider: 'housed', key: 'two words', base_url: 'https://proxy.example' };
  await eventually('the providers in the catalog', async () => {
    const [issue] = await byokIssuesOf(await postByokKey(manager, broken));
    return issue?.startsWith('body.provider') ? undefined : true;
  });
});

afterAll(() => gateway.close());

const pathsOf = async (response: Response): Promise<string[]> =>
  (await byokIssuesOf(response)).map((issue) => issue.split(' ')[0]!);

const azureKey = (endpoint: string): string => JSON.stringify({ api_key: 'a', endpoint_url: endpoint });
const long = (length: number): string => `https://proxy.example/${'x'.repeat(length - 22)}`;

describe('POST /byok', () => {
  test.each<[string, object, string]>([
    ['no provider', { provider: undefined }, 'body.provider'],
    ['no key', { key: undefined }, 'body.key'],
    ['an empty key', { key: '' }, 'body.key'],
    ['a key of 16,385 characters', { key: 'k'.repeat(16_385) }, 'body.key'],
    ['a name of 257 characters', { name: 'n'.repeat(257) }, 'body.name'],
    ['a word for a flag', { is_required: 'yes' }, 'body.is_required'],
    ['an unknown region', { declared_region: 'eu' }, 'body.declared_region'],
    ['a workspace by its slug', { workspace_id: 'default' }, 'body.workspace_id'],
    ['an address of 2,049 characters', { base_url: long(2_049) }, 'body.base_url'],
    ['no models', { allowed_models: [] }, 'body.allowed_models'],
    ['no hashes', { allowed_api_key_hashes: [] }, 'body.allowed_api_key_hashes'],
    ['no users', { allowed_user_ids: [] }, 'body.allowed_user_ids'],
    ['101 models', { allowed_models: Array(101).fill('local/echo-1') }, 'body.allowed_models'],
    [
      '101 hashes',
      { allowed_api_key_hashes: Array(101).fill('a'.repeat(64)) },
      'body.allowed_api_key_hashes',
    ],
    ['101 users', { allowed_user_ids: Array(101).fill('user_x') }, 'body.allowed_user_ids'],
    ['text that is no hash', { allowed_api_key_hashes: ['a'] }, 'body.allowed_api_key_hashes.0'],
    ['a NUL in a model', { allowed_models: ['a\0'] }, 'body.allowed_models.0'],
  ])('refuses a body with %s', async (_what, fields, path) => {
    expect(await pathsOf(await postByokKey(manager, fields))).toEqual([path]);
  });

  const missing = 'is required for this provider';
  const tail = 'must name an address without a query and without a fragment';
  test.each<[string, object, string[]]>([
    ['an unknown provider', { provider: 'nobody' }, ['body.provider is no provider of the catalog']],
    ['a key in two words', { key: 'two words' }, ['body.key must consist of visible ASCII characters']],
    [
      'fallback and nothing else',
      { is_fallback: true, is_byok_only: true },
      ['body.is_fallback must not be true: is_fallback and is_byok_only exclude each other'],
    ],
    ['no address of a server', { provider: 'openai-compatible' }, [`body.base_url ${missing}`]],
    ['no address of a vendor that the catalog lacks', { provider: 'homeless' }, [`body.base_url ${missing}`]],
    [
      'no address of Azure',
      { provider: 'azure' },
      [`body.base_url ${missing}, unless the key is a JSON object with an endpoint_url`],
    ],
    [
      'half a key of Azure',
      { provider: 'azure', key: '{"api_key":"a"}' },
      ['body.key must have an endpoint_url'],
    ],
    ['text for an address', { base_url: 'somewhere' }, ['body.base_url The URL is not valid']],
    [
      'an address in the clear',
      { base_url: 'http://proxy.example' },
      ['body.base_url The URL must use https; plain http is not allowed for this host'],
    ],
    [
      'a password in the address',
      { base_url: 'https://a:b@proxy.example' },
      ['body.base_url The URL must not contain a user name or password'],
    ],
    ['a query in the address', { base_url: 'https://proxy.example/v1?a=1' }, [`body.base_url ${tail}`]],
    ['a fragment in the address', { base_url: 'https://proxy.example/v1#top' }, [`body.base_url ${tail}`]],
    [
      'a query in the address inside a key',
      { provider: 'azure', key: azureKey('https://a.openai.azure.com/?api-version=2024-10-21') },
      [`body.key ${tail}`],
    ],
    [
      'an address of a metadata service',
      { provider: 'azure', key: azureKey('https://169.254.169.254') },
      ['body.key The URL leads to an address that is not allowed'],
    ],
    [
      'an endless address inside a key',
      { provider: 'azure', key: azureKey(long(2_049)) },
      ['body.key must name an address of at most 2048 characters'],
    ],
  ])('refuses, with the rule that it breaks, a body with %s', async (_what, fields, issues) => {
    expect(await byokIssuesOf(await postByokKey(manager, fields))).toEqual(issues);
  });

  test('reports all broken rules at once, including those on ids', async () => {
    const { hash } = await addKey(gateway, foreign);
    const stranger = await addUser(gateway, foreign.organizationId);
    const member = await addUser(gateway, gateway.organizationId);
    const response = await postByokKey(manager, {
      provider: 'openai-compatible',
      key: 'two words',
      base_url: 'https://10.0.0.1/v1',
      is_fallback: true,
      is_byok_only: true,
      allowed_models: ['local/echo-1', 'nobody/nothing'],
      allowed_api_key_hashes: [hash, 'b'.repeat(64)],
      allowed_user_ids: [member, stranger, 'user_nobody'],
      workspace_id: foreign.workspaceId,
    });
    expect(await byokIssuesOf(response)).toEqual([
      'body.base_url The URL leads to an address that is not allowed',
      'body.key must consist of visible ASCII characters',
      'body.is_fallback must not be true: is_fallback and is_byok_only exclude each other',
      'body.allowed_models.1 is no model of the catalog',
      'body.allowed_api_key_hashes.0 is the hash of no key of the organization',
      'body.allowed_api_key_hashes.1 is the hash of no key of the organization',
      'body.allowed_user_ids.1 is no member of the organization',
      'body.allowed_user_ids.2 is no member of the organization',
      'body.workspace_id is no workspace of the organization',
    ]);
  });
});

test('POST /byok accepts a key with every field at its limit', async () => {
  const { hash } = await addKey(gateway);
  const fields = {
    key: 'k'.repeat(16_384),
    name: '🔑'.repeat(256),
    base_url: long(2_048),
    allowed_models: Array(100).fill('local/echo-1'),
    allowed_api_key_hashes: Array(100).fill(hash),
  };
  expect(await makeByokKey(manager, fields)).toMatchObject({ name: fields.name, label: 'kkkk...kkkk' });
  await makeByokKey(manager, { provider: 'homeless', base_url: 'https://proxy.example' });
  // Its address is in the configuration of this deployment.
  await makeByokKey(manager, { provider: 'local' });
  // Its address is in the catalog.
  await makeByokKey(manager, { provider: 'housed' });
});

describe('PATCH /byok/{id}', () => {
  test.each<[string, object, string]>([
    ['a place below 0', { sort_order: -1 }, 'body.sort_order'],
    ['a place above 10,000', { sort_order: 10_001 }, 'body.sort_order'],
    ['half a place', { sort_order: 0.5 }, 'body.sort_order'],
    ['an empty key', { key: '' }, 'body.key'],
    ['no models', { allowed_models: [] }, 'body.allowed_models'],
    ['another address without the key', { base_url: 'https://thief.example' }, 'body.base_url'],
    ["the vendor's address without the key", { base_url: null }, 'body.base_url'],
    ['an unknown model', { allowed_models: ['nobody/nothing'] }, 'body.allowed_models.0'],
    ['an unknown user', { allowed_user_ids: ['user_nobody'] }, 'body.allowed_user_ids.0'],
    ['an unknown hash', { allowed_api_key_hashes: ['b'.repeat(64)] }, 'body.allowed_api_key_hashes.0'],
    ['an address that is not allowed', { key: SECRET, base_url: 'https://[::1]' }, 'body.base_url'],
  ])('refuses a change to %s and leaves the key unchanged', async (_what, changes, path) => {
    const made = await makeByokKey(manager, { base_url: 'https://first.example' });
    expect(await pathsOf(await patchByokKey(manager, made.id, changes))).toEqual([path]);
    expect(await getByokKey(manager, made.id)).toEqual(made);
    await deleteByokKey(manager, made.id);
  });

  test('answers 400 no_update_fields when nothing changes', async () => {
    const { id } = await makeByokKey(manager);
    const error = await errorOf(await patchByokKey(manager, id, { workspace_id: null }));
    expect([error.code, error.metadata.reason]).toEqual([400, 'no_update_fields']);
  });

  test('refuses a new key that leaves the provider without an address', async () => {
    const fields = { provider: 'openai-compatible', base_url: 'https://first.example' };
    const { id } = await makeByokKey(manager, fields);
    expect(await byokIssuesOf(await patchByokKey(manager, id, { key: SECRET, base_url: null }))).toEqual([
      'body.base_url is required for this provider',
    ]);
  });

  test('refuses the second of two exclusive flags, even in concurrent updates', async () => {
    const message = 'must not be true: is_fallback and is_byok_only exclude each other';
    const fallback = await makeByokKey(manager, { is_fallback: true });
    const only = await makeByokKey(manager, { is_byok_only: true });
    expect(await byokIssuesOf(await patchByokKey(manager, fallback.id, { is_byok_only: true }))).toEqual([
      `body.is_byok_only ${message}`,
    ]);
    expect(await byokIssuesOf(await patchByokKey(manager, only.id, { is_fallback: true }))).toEqual([
      `body.is_fallback ${message}`,
    ]);
    await updateByokKey(manager, only.id, { is_fallback: true, is_byok_only: false });
    const { id } = await makeByokKey(manager);
    const answers = await Promise.all(
      [{ is_fallback: true }, { is_byok_only: true }].map((changes) => patchByokKey(manager, id, changes)),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
  });
});

test('GET /byok answers 400 to a foreign workspace, a slug and a limit above 100', async () => {
  const issuesOf = async (query: string): Promise<string[]> =>
    pathsOf(await manager.call('GET', `/byok?${query}`));
  for (const id of [foreign.workspaceId, crypto.randomUUID(), 'default']) {
    expect(await issuesOf(`workspace_id=${id}`)).toEqual(['query.workspace_id']);
  }
  expect(await issuesOf('limit=101')).toEqual(['query.limit']);
  expect((await listByokKeys(manager, '?limit=100')).data.length).toBeGreaterThan(0);
});

describe.each([
  ['a workspace', 'the workspace'],
  ['the organization as a whole', 'the organization as a whole'],
])('the keys of %s', (_name, owner) => {
  test('stop at 100, even when several are created at once', async () => {
    const isWide = owner !== 'the workspace';
    const { organizationId, workspaceId } = await addOrganization(gateway);
    const { token } = await addKey(gateway, { organizationId, workspaceId, kind: 'management' });
    const its = createCaller(gateway.origin, token);
    const place = { workspace_id: isWide ? null : workspaceId };
    const { id } = await makeByokKey(its, place);
    await fillUp(id, 97);
    const headers = { 'idempotency-key': `last of ${owner}` };
    const answers = await Promise.all(
      [{}, {}, {}, {}, headers, headers].map((more) => postByokKey(its, place, more)),
    );
    const made = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status === 400);
    const ids = new Set(
      (await Promise.all(made.map((answer) => byokKeyOf(answer, 201)))).map((key) => key.id),
    );
    expect([ids.size, made.length + refused.length]).toEqual([2, answers.length]);
    expect(await byokIssuesOf(refused[0]!)).toEqual([
      `body.workspace_id ${owner} has 100 credentials already, which is the limit`,
    ]);
    await deleteByokKey(its, id);
    // Behind the highest place there is none.
    expect(await makeByokKey(its, place)).toMatchObject({ sort_order: 10_000 });
    // The other set has room.
    await makeByokKey(its, isWide ? {} : { workspace_id: null });
  });

  /** Copies a key, the last time to the highest place. */
  async function fillUp(id: string, copies: number): Promise<void> {
    await copyRows(gateway.database, 'byok_credentials', {
      copies,
      changes: `'id', gen_random_uuid(), 'sort_order', case n when ${copies} then 10000 else n end`,
      where: 'original.id = $1',
      values: [id],
    });
  }
});

test('a repetition of the request for the last place gets its first response', async () => {
  const place = { workspace_id: (await addWorkspace(gateway)).workspaceId };
  const { id } = await makeByokKey(manager, place);
  await copyRows(gateway.database, 'byok_credentials', {
    copies: 98,
    changes: `'id', gen_random_uuid()`,
    where: 'original.id = $1',
    values: [id],
  });
  const headers = { 'idempotency-key': 'last' };
  const answers = await Promise.all([1, 2, 3].map(() => postByokKey(manager, place, headers)));
  const made = await Promise.all(answers.map((answer) => byokKeyOf(answer, 201)));
  expect(new Set(made.map((key) => key.id)).size).toBe(1);
});
