import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createEncryption } from '../../platform/encryption.ts';
import { byokSecretContext } from '../../domain/endpoints/byok-credential.ts';
import { addKey, addOrganization, addUser, addWorkspace } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import {
  byokIssuesOf,
  byokKeyOf,
  deleteByokKey,
  getByokKey,
  listByokKeys,
  makeByokKey,
  postByokKey,
  SECRET,
  updateByokKey,
} from '../support/byok.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(() => gateway.close());

/** The part of a row that answers do not show, with the secret opened. */
async function storedSecret(id: string): Promise<{ secret: string; version: string; origin: string | null }> {
  const { rows } = await gateway.database.query<{ sealed: string; version: string; origin: string | null }>(
    'select sealed, secret_version as version, origin from byok_credentials where id = $1',
    [id],
  );
  const { sealed, ...rest } = rows[0]!;
  const secret = createEncryption(gateway.config.encryption).open(sealed, byokSecretContext(id));
  return { secret: secret.toString(), ...rest };
}

async function freshPlace(): Promise<{ workspace_id: string }> {
  return { workspace_id: (await addWorkspace(gateway)).workspaceId };
}

describe('a new key', () => {
  test('gets defaults, and responses with every field except the secret', async () => {
    const made = await makeByokKey(manager, { color: 'red' });
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      provider: 'openai',
      label: 'sk-f...last',
      name: null,
      disabled: false,
      is_fallback: false,
      is_required: false,
      is_byok_only: false,
      declared_zdr: null,
      declared_region: null,
      base_url: null,
      allowed_models: null,
      allowed_api_key_hashes: null,
      allowed_user_ids: null,
      sort_order: 0,
      workspace_id: gateway.workspaceId,
      created_at: expect.stringMatching(/Z$/),
    });
    expect(await getByokKey(manager, made.id.toUpperCase())).toEqual(made);
    expect((await listByokKeys(manager)).data).toContainEqual(made);
    expect(await storedSecret(made.id)).toMatchObject({ secret: SECRET, origin: null });
    expect(await auditRows(gateway, `byok/${made.id}`)).toMatchObject([{ action: 'createByokKey' }]);
  });

  test('stores all fields of the request, and ids in place of slugs', async () => {
    const elsewhere = await addWorkspace(gateway);
    const { hash } = await addKey(gateway, elsewhere);
    const user = await addUser(gateway, gateway.organizationId);
    const fields = {
      ...(await freshPlace()),
      name: 'Ours',
      disabled: true,
      is_required: true,
      is_byok_only: true,
      declared_zdr: false,
      declared_region: 'europe',
      base_url: 'https://proxy.example/openai/v1',
      allowed_user_ids: [user],
    };
    // Nothing in this deployment can reach the second model.
    const models = ['local/echo-1', 'anthropic/claude-haiku-4.5-20251001', 'anthropic/claude-haiku-4.5'];
    const lists = { allowed_models: models, allowed_api_key_hashes: [hash.toUpperCase(), hash] };
    const made = await makeByokKey(manager, { ...fields, ...lists });
    expect(made).toMatchObject({
      ...fields,
      allowed_models: ['local/echo-1', 'anthropic/claude-haiku-4.5'],
      allowed_api_key_hashes: [hash],
    });
    expect(await storedSecret(made.id)).toMatchObject({ origin: 'https://proxy.example' });
  });

  test('belongs to the whole organization if workspace_id is null', async () => {
    expect(await makeByokKey(manager, { workspace_id: null })).toMatchObject({ workspace_id: null });
  });

  test('exists once for repeated requests, which all get the first response', async () => {
    for (const place of [await freshPlace(), { workspace_id: null }]) {
      const headers = { 'idempotency-key': 'once' };
      const answers = await Promise.all([1, 2, 3].map(() => postByokKey(manager, place, headers)));
      answers.push(await postByokKey(manager, place, headers));
      const made = await Promise.all(answers.map((answer) => byokKeyOf(answer, 201)));
      expect(new Set(made.map(({ id }) => id)).size).toBe(1);
      expect(answers.at(-1)!.headers.get('idempotent-replayed')).toBe('true');
      const other = { ...place, key: 'another-0123456789' };
      expect((await postByokKey(manager, other, headers)).status).toBe(422);
    }
  });
});

describe('an Azure key', () => {
  beforeAll(async () => {
    await gateway.database.query(
      `insert into providers (slug, name, adapter, facts, source) values ('azure', 'Azure', 'azure', '{}', 'bundled')
       on conflict do nothing`,
    );
    const broken = { provider: 'azure', key: 'two words', base_url: 'https://proxy.example' };
    await eventually('the provider in the catalog', async () => {
      const [issue] = await byokIssuesOf(await postByokKey(manager, broken));
      return issue?.startsWith('body.provider') ? undefined : true;
    });
  });

  const key = (endpoint = 'https://acme.openai.azure.com'): string =>
    JSON.stringify({
      api_key: 'azure-key-0123456789',
      endpoint_url: `${endpoint}/`,
      api_version: '2024-10-21',
    });

  test('stores the address from its JSON, and shows the ends of its api_key', async () => {
    const made = await makeByokKey(manager, { provider: 'azure', key: key() });
    expect(made).toMatchObject({ label: 'azur...6789', base_url: null });
    expect(await storedSecret(made.id)).toMatchObject({
      secret: key(),
      origin: 'https://acme.openai.azure.com',
    });
  });

  test('uses base_url before its own address until base_url becomes null', async () => {
    const base_url = 'https://proxy.example/azure';
    const made = await makeByokKey(manager, { provider: 'azure', key: key(), base_url });
    expect(await storedSecret(made.id)).toMatchObject({ origin: 'https://proxy.example' });
    await updateByokKey(manager, made.id, { key: key('https://other.example') });
    expect(await storedSecret(made.id)).toMatchObject({ origin: 'https://proxy.example' });
    await updateByokKey(manager, made.id, { key: key('https://other.example'), base_url: null });
    expect(await storedSecret(made.id)).toMatchObject({ origin: 'https://other.example' });
  });
});

describe('an update', () => {
  test('changes only the named fields and keeps the secret', async () => {
    const made = await makeByokKey(manager, { name: 'Before', allowed_models: ['local/echo-1'] });
    const before = await storedSecret(made.id);
    const changes = { name: null, disabled: true, sort_order: 10_000, allowed_models: null };
    const changed = await updateByokKey(manager, made.id, changes);
    expect(changed).toEqual({ ...made, ...changes });
    expect(await getByokKey(manager, made.id)).toEqual(changed);
    expect(await storedSecret(made.id)).toEqual(before);
    expect(await auditRows(gateway, `byok/${made.id}`)).toMatchObject([
      { action: 'createByokKey' },
      { action: 'updateByokKey' },
    ]);
  });

  test('replaces secret, version and label with a new key, and the address if given', async () => {
    const made = await makeByokKey(manager, { base_url: 'https://first.example/v1' });
    const before = await storedSecret(made.id);
    const key = 'other-secret-0123456789';
    expect(await updateByokKey(manager, made.id, { key })).toEqual({ ...made, label: 'othe...6789' });
    const after = await storedSecret(made.id);
    expect(after).toMatchObject({ secret: key, origin: 'https://first.example' });
    expect(after.version).not.toBe(before.version);
    const base_url = 'https://second.example/v1';
    expect(await updateByokKey(manager, made.id, { key, base_url })).toMatchObject({ base_url });
    expect(await storedSecret(made.id)).toMatchObject({ origin: 'https://second.example' });
  });

  test('accepts the same address without the key, and ignores provider and workspace', async () => {
    const base_url = 'https://first.example/v1';
    const made = await makeByokKey(manager, { base_url });
    const body = { base_url, name: 'Same', provider: 'anthropic', workspace_id: null };
    expect(await updateByokKey(manager, made.id, body)).toEqual({ ...made, name: 'Same' });
  });
});

describe('GET /byok', () => {
  test("lists the workspace's and the organization's keys in the order of use", async () => {
    const foreign = await addOrganization(gateway);
    const { token } = await addKey(gateway, { ...foreign, kind: 'management' });
    const owner = createCaller(gateway.origin, token);
    const second = await makeByokKey(owner, { provider: 'anthropic' });
    const third = await makeByokKey(owner);
    const first = await makeByokKey(owner, { workspace_id: null });
    await updateByokKey(owner, second.id, { sort_order: 1 });
    await updateByokKey(owner, third.id, { sort_order: 2 });
    const ids = async (query: string): Promise<[string[], number]> => {
      const { data, total_count: total } = await listByokKeys(owner, query);
      return [data.map(({ id }) => id), total];
    };
    expect(await ids('')).toEqual([[first.id, second.id, third.id], 3]);
    expect(await ids(`?workspace_id=${foreign.workspaceId}`)).toEqual(await ids(''));
    expect(await ids('?limit=1&offset=1')).toEqual([[second.id], 3]);
    expect(await ids('?provider=openai')).toEqual([[first.id, third.id], 2]);
    expect(await ids('?provider=nobody')).toEqual([[], 0]);
  });

  test('hides the keys of other workspaces', async () => {
    const [one, other] = [await freshPlace(), await freshPlace()];
    const { id } = await makeByokKey(manager, one);
    const idsOf = async ({ workspace_id: place }: { workspace_id: string }): Promise<string[]> =>
      (await listByokKeys(manager, `?limit=100&workspace_id=${place}`)).data.map((key) => key.id);
    expect(await idsOf(one)).toContain(id);
    expect(await idsOf(other)).not.toContain(id);
  });
});

describe('a deleted key', () => {
  test('loses its row and its secret, and leaves an audit entry', async () => {
    const { id } = await makeByokKey(manager);
    const answer = await deleteByokKey(manager, id.toUpperCase());
    expect([answer.status, await answer.json()]).toEqual([200, { deleted: true }]);
    const { rowCount } = await gateway.database.query('select from byok_credentials where id = $1', [id]);
    expect(rowCount).toBe(0);
    expect((await deleteByokKey(manager, id)).status).toBe(404);
    expect((await auditRows(gateway, `byok/${id}`)).at(-1)).toMatchObject({ action: 'deleteByokKey' });
  });
});
