import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey, addOrganization } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
  actOn,
  addValidation,
  dataOf,
  deleteEndpoint,
  endpointDraft,
  ENTITLED,
  getEndpoint,
  listEndpoints,
  makeEndpoint,
  postEndpoint,
} from '../support/private-endpoints.ts';

let gateway: Gateway;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway({ bootstrap: ENTITLED });
  manager = createCaller(gateway.origin, gateway.managementKey);
  await gateway.database.query(
    `insert into models (id, canonical_slug, name, facts, source, created_at) values
       ('acme/tuned', 'acme/tuned-2026', 'Acme: Tuned',
        '{"outputModalities":["text"],"aliases":["acme/latest"]}', 'imported', now())`,
  );
  await gateway.database.query(
    `insert into providers (slug, name, adapter, facts, source) values ('azure', 'Azure', 'azure', '{}', 'imported')
     on conflict do nothing`,
  );
});

afterAll(() => gateway.close());

const names = {
  model_name: expect.any(String),
  model_permaslug: 'local/echo-1',
  model_slug: 'local/echo-1',
  provider_name: expect.any(String),
};

/** A manager of another organization that may have private endpoints. */
async function anotherManager(): Promise<Caller> {
  const place = await addOrganization(gateway);
  await gateway.database.query('update organizations set entitlements = $1 where id = $2', [
    ENTITLED.entitlements,
    place.organizationId,
  ]);
  return createCaller(gateway.origin, (await addKey(gateway, { ...place, kind: 'management' })).token);
}

describe('a new private endpoint', () => {
  test("begins as a draft with the model's public prices and no declarations", async () => {
    const made = await dataOf<{ id: string }>(await postEndpoint(manager, endpointDraft()), 201);
    const shown = { status: 'draft', ...names, declared_region: null, declared_zdr: null };
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_at: expect.stringMatching(/Z$/),
      ...shown,
    });
    expect(await getEndpoint(manager, made.id)).toEqual({
      id: made.id,
      ...shown,
      base_url: 'https://vllm.example/v1',
      declared_parameters: null,
      pricing: {
        prompt: '0.000001',
        completion: '0.000002',
        cache_read: '0.0000005',
        cache_write: '0.000001',
      },
      provider_slug: 'openai-compatible',
      upstream_model_id: 'echo-tuned',
      validation: null,
    });
    const [row] = await auditRows(gateway, `private-endpoints/${made.id}`);
    expect(row).toMatchObject({ action: 'createPrivateEndpoint', key_hash: expect.any(String) });
  });

  test('keeps every field of the request, and prices as written', async () => {
    const declared = { declared_region: 'europe', declared_zdr: false };
    const parameters = ['tools', 'temperature', 'tools'];
    const overrides = [
      { min_prompt_tokens: 272_000, prompt: '0.000003', input_cache_read: '0.1', input_cache_write_1h: '2' },
      { utc_start: 2200, utc_end: 630, utc_days: ['monday'], utc_moment: 'end', completion: '0.50' },
      { service_tier: 'flex', valid_from: '2027-01-01', input_modality: 'audio', prompt: '0' },
    ];
    const prices = {
      prompt: '0.0000015',
      completion: '1.50',
      cache_read: '0',
      cache_write: '999999999.5',
      overrides,
    };
    const made = await makeEndpoint(manager, {
      ...declared,
      declared_parameters: parameters,
      pricing: prices,
    });
    expect(made).toMatchObject({
      ...declared,
      declared_parameters: ['tools', 'temperature'],
      pricing: prices,
    });
  });

  test('derives absent cache prices by the public ratio', async () => {
    const { pricing } = await makeEndpoint(manager, { pricing: { prompt: '0.0000003', completion: '0' } });
    expect(pricing).toEqual({
      prompt: '0.0000003',
      completion: '0',
      cache_read: '0.00000015',
      cache_write: '0.0000003',
    });
  });

  test.each(['acme/tuned', 'acme/tuned-2026', 'acme/latest'])(
    'accepts a model without public endpoints, named %s, at price 0',
    async (name) => {
      const made = await makeEndpoint(manager, { model_permaslug: name });
      expect(made).toMatchObject({
        model_slug: 'acme/tuned',
        model_permaslug: 'acme/tuned-2026',
        pricing: { prompt: '0', completion: '0', cache_read: '0', cache_write: '0' },
      });
    },
  );

  test.each(['openai', 'anthropic', 'azure'])('needs no address for %s', async (provider) => {
    const body = { ...endpointDraft({ provider_slug: provider }), base_url: undefined };
    const { id } = await dataOf<{ id: string }>(await postEndpoint(manager, body), 201);
    expect(await getEndpoint(manager, id)).toMatchObject({ provider_slug: provider, base_url: null });
  });

  test('accepts a model for embeddings', async () => {
    const { pricing } = await makeEndpoint(manager, { model_permaslug: 'local/embed-1' });
    expect(pricing).toMatchObject({ prompt: '0.0000001', cache_read: '0.0000001' });
  });

  test('appears in the list, the oldest first', async () => {
    const mine = await anotherManager();
    const first = await makeEndpoint(mine);
    const second = await makeEndpoint(mine);
    const list = await listEndpoints(mine);
    expect(list.map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(list[0]).toEqual({ id: first.id, created_at: expect.any(String), status: 'draft', ...names });
  });
});

describe('a repeated request to create a private endpoint', () => {
  test("shows the endpoint's present state", async () => {
    const headers = { 'idempotency-key': 'again' };
    const body = endpointDraft();
    const made = await dataOf<{ id: string }>(await postEndpoint(manager, body, headers), 201);
    await addValidation(gateway, made.id);
    expect((await actOn(manager, made.id, 'activate')).status).toBe(200);
    const again = await postEndpoint(manager, body, headers);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await dataOf(again, 201)).toEqual({ ...made, status: 'active' });
    const { metadata } = await errorOf(await postEndpoint(manager, { ...body, declared_zdr: true }, headers));
    expect(metadata.reason).toBe('idempotency_key_reused');
    await deleteEndpoint(manager, made.id);
    expect((await postEndpoint(manager, body, headers)).status).toBe(404);
  });

  test('creates one endpoint, even for three concurrent requests', async () => {
    const mine = await anotherManager();
    const headers = { 'idempotency-key': 'at-once' };
    const answers = await Promise.all([1, 2, 3].map(() => postEndpoint(mine, endpointDraft(), headers)));
    const made = await Promise.all(answers.map((answer) => dataOf<{ id: string }>(answer, 201)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await listEndpoints(mine)).toHaveLength(1);
  });
});

describe('the private endpoints of an organization', () => {
  test('number 50 at most, and deleted ones do not count', async () => {
    const mine = await anotherManager();
    const made: { id: string }[] = [];
    for (let count = 0; count < 49; count += 1) {
      made.push(await dataOf<{ id: string }>(await postEndpoint(mine, endpointDraft()), 201));
    }
    const racing = await Promise.all([1, 2, 3].map(() => postEndpoint(mine, endpointDraft())));
    expect(racing.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 422, 422]);
    const refused = await errorOf(racing.find(({ status }) => status === 422)!);
    expect(refused).toMatchObject({
      message: expect.stringMatching(/^Invalid argument: body would be one more than the 50 /),
      metadata: { reason: 'endpoint_limit_reached' },
    });
    await deleteEndpoint(mine, made[0]!.id);
    const headers = { 'idempotency-key': 'the-last' };
    const last = await Promise.all([1, 2].map(() => postEndpoint(mine, endpointDraft(), headers)));
    expect(last.map(({ status }) => status)).toEqual([201, 201]);
    expect(await listEndpoints(mine)).toHaveLength(50);
  });
});
