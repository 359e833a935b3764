import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { hashToken } from '../../services/accounts/identity/key-token.ts';
import { addKey, addOrganization, addWorkspace, type Place } from '../support/accounts.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { publishedClient } from '../support/published-client.ts';
import { getWorkspace, updateWorkspace } from '../support/workspaces.ts';

const UNKNOWN_ID = '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

let gateway: Gateway;
let manager: Caller;
let stranger: Caller;
let foreign: Place;
let neighbour: Place;

beforeAll(async () => {
  gateway = await startGateway();
  manager = createCaller(gateway.origin, gateway.managementKey);
  [foreign, neighbour] = [await addOrganization(gateway), await addWorkspace(gateway)];
  const theirs = await addKey(gateway, { ...foreign, kind: 'management' });
  stranger = createCaller(gateway.origin, theirs.token);
});

afterAll(() => gateway.close());

const patch = (reference: string, body: object): Promise<Response> =>
  manager.call('PATCH', `/workspaces/${reference}`, { body });

describe('a workspace', () => {
  test('shows all its fields, by id in any case and by slug', async () => {
    const workspace = await getWorkspace(manager, gateway.workspaceId);
    expect(workspace).toEqual({
      id: gateway.workspaceId,
      name: 'Default',
      slug: 'default',
      description: null,
      created_at: expect.any(String),
      updated_at: null,
      created_by: expect.stringMatching(/^user_/),
      budget_alert_thresholds: [50, 80, 100],
      default_guardrail_id: expect.stringMatching(UUID),
      default_text_model: null,
      default_image_model: null,
      default_provider_sort: null,
      default_callback_url: null,
      disabled_server_tools: null,
      include_byok_in_budgets: false,
      io_logging_api_key_ids: null,
      io_logging_sampling_rate: 1,
      is_data_discount_logging_enabled: false,
      is_observability_broadcast_enabled: true,
      is_observability_io_logging_enabled: false,
      webhook_event_types: null,
      webhook_failing_since: null,
    });
    for (const reference of [gateway.workspaceId.toUpperCase(), 'default']) {
      expect(await getWorkspace(manager, reference)).toEqual(workspace);
    }
    const other = await getWorkspace(manager, neighbour.workspaceId);
    expect(other.default_guardrail_id).not.toBe(workspace.default_guardrail_id);
  });

  test('looks to another organization exactly like an unknown id', async () => {
    const { slug } = await getWorkspace(stranger, foreign.workspaceId);
    const references = [foreign.workspaceId, slug, 'no-such', 'No Slug', '%00', '-', 'a'.repeat(2_000)];
    const requests: [method: string, below: string, body?: object][] = [
      ['GET', ''],
      ['PATCH', '', { name: 'Mine now' }],
      ['POST', '/webhook-secret/rotate'],
      ['POST', '/webhook/test', { url: 'https://app.example.com/' }],
    ];
    for (const [method, below, body] of requests) {
      const ask = async (reference: string) =>
        visibleParts(
          await manager.call(method, `/workspaces/${reference}${below}`, body === undefined ? {} : { body }),
        );
      const unknown = await ask(UNKNOWN_ID);
      expect(unknown.status).toBe(404);
      for (const reference of references) expect(await ask(reference)).toEqual(unknown);
    }
    expect((await getWorkspace(stranger, foreign.workspaceId)).name).toBe('Another');
  });

  test('can be read and changed by the public client', async () => {
    const client = publishedClient(gateway, gateway.managementKey);
    const { data } = await client.workspaces.get({ id: neighbour.workspaceId });
    expect(data).toMatchObject({ id: neighbour.workspaceId, ioLoggingApiKeyIds: null, updatedAt: null });
    const changed = await client.workspaces.update({
      id: data.slug,
      updateWorkspaceRequest: { ioLoggingSamplingRate: 0.25, disabledServerTools: ['openrouter:bash'] },
    });
    expect(changed.data).toMatchObject({
      id: neighbour.workspaceId,
      ioLoggingSamplingRate: 0.25,
      disabledServerTools: ['openrouter:bash'],
    });
  });
});

describe('PATCH /workspaces/{id}', () => {
  const everything = {
    name: 'Studio',
    slug: 'studio-2',
    description: 'Films',
    default_text_model: 'vendor/writer',
    default_image_model: 'vendor/painter',
    default_provider_sort: 'latency',
    default_callback_url: 'https://app.example.com/hooks',
    io_logging_api_key_ids: [1, 2],
    io_logging_sampling_rate: 0.0001,
    is_data_discount_logging_enabled: true,
    is_observability_broadcast_enabled: false,
    is_observability_io_logging_enabled: true,
    webhook_event_types: ['video.generation.failed'],
    budget_alert_thresholds: [25],
  };
  const nothing = {
    description: null,
    default_text_model: null,
    default_image_model: null,
    default_provider_sort: null,
    default_callback_url: null,
    disabled_server_tools: null,
    io_logging_api_key_ids: null,
    webhook_event_types: null,
  };

  test('changes the named fields, keeps the rest, and clears with null', async () => {
    const { workspaceId } = await addWorkspace(gateway);
    const before = await getWorkspace(manager, workspaceId);
    const tools = ['openrouter:bash', 'openrouter:shell', 'openrouter:bash'];
    const changed = await updateWorkspace(manager, workspaceId, {
      ...everything,
      disabled_server_tools: tools,
    });
    const disabled = ['openrouter:bash', 'openrouter:shell'];
    const expected = { ...before, ...everything, disabled_server_tools: disabled };
    expect(changed).toEqual({ ...expected, updated_at: expect.any(String) });
    expect(await getWorkspace(manager, 'studio-2')).toEqual(changed);

    const renamed = await updateWorkspace(manager, 'studio-2', { name: 'Studio 3' });
    expect(renamed).toEqual({ ...changed, name: 'Studio 3', updated_at: expect.any(String) });
    expect(Date.parse(renamed.updated_at!)).toBeGreaterThanOrEqual(Date.parse(changed.updated_at!));

    const cleared = await updateWorkspace(manager, workspaceId, nothing);
    expect(cleared).toEqual({ ...renamed, ...nothing, updated_at: expect.any(String) });
  });

  test('stores an empty list of disabled tools as null, and of keys unchanged', async () => {
    const { workspaceId } = await addWorkspace(gateway);
    await updateWorkspace(manager, workspaceId, { disabled_server_tools: ['openrouter:fusion'] });
    const lists = { disabled_server_tools: [], io_logging_api_key_ids: [] };
    expect(await updateWorkspace(manager, workspaceId, lists)).toMatchObject({
      disabled_server_tools: null,
      io_logging_api_key_ids: [],
    });
  });

  test('answers 400 when no field can be changed', async () => {
    for (const body of [
      {},
      { include_byok_in_budgets: true },
      { webhook_failing_since: null },
      { id: UNKNOWN_ID, color: 'red' },
    ]) {
      expect(await errorOf(await patch('default', body))).toEqual({
        code: 400,
        message: 'No update fields provided',
        metadata: { reason: 'no_update_fields', retryable: false },
      });
    }
  });

  test.each<[object, string, string]>([
    [{ name: '' }, 'body.name', 'must not be empty'],
    [{ name: 'n'.repeat(101) }, 'body.name', 'must have at most 100 characters'],
    [{ name: null }, 'body.name', 'must be a string'],
    [{ description: 'd'.repeat(501) }, 'body.description', 'must have at most 500 characters'],
    [{ slug: 'Studio' }, 'body.slug', 'must be lower-case letters and digits'],
    [{ slug: 'a--b' }, 'body.slug', 'must be lower-case letters and digits'],
    [{ slug: 's'.repeat(51) }, 'body.slug', 'must have at most 50 characters'],
    [{ slug: UNKNOWN_ID }, 'body.slug', 'must not look like an id'],
    [{ slug: `deleted-${UNKNOWN_ID}` }, 'body.slug', 'must not be deleted- with an id'],
    [{ default_provider_sort: 'luck' }, 'body.default_provider_sort', 'must be one of price, throughput'],
    [
      { disabled_server_tools: ['bash'] },
      'body.disabled_server_tools.0',
      'must be one of openrouter:advisor',
    ],
    [{ io_logging_api_key_ids: [1.5] }, 'body.io_logging_api_key_ids.0', 'must be a whole number'],
    [{ io_logging_sampling_rate: 0 }, 'body.io_logging_sampling_rate', 'must be at least 0.0001'],
    [{ io_logging_sampling_rate: 1.1 }, 'body.io_logging_sampling_rate', 'must be at most 1'],
    [{ is_observability_broadcast_enabled: 1 }, 'body.is_observability_broadcast_enabled', 'must be true or'],
    [{ default_callback_url: 'hooks' }, 'body.default_callback_url', 'must be an absolute http or https URL'],
    [{ default_callback_url: 'http://10.0.0.1/' }, 'body.default_callback_url', 'not allowed'],
    [{ default_callback_url: 'https://169.254.169.254/' }, 'body.default_callback_url', 'not allowed'],
    [
      { default_callback_url: 'https://u:p@example.com/' },
      'body.default_callback_url',
      'user name or password',
    ],
  ])('answers 400 to %j, names the field, and changes nothing', async (body, path, message) => {
    const before = await getWorkspace(manager, 'default');
    const { code, metadata } = await errorOf(await patch('default', { description: 'Changed', ...body }));
    expect([code, metadata.issues]).toEqual([400, [{ path, message: expect.stringContaining(message) }]]);
    expect(await getWorkspace(manager, 'default')).toEqual(before);
  });

  test('answers 400 for the slug of another workspace of the organization', async () => {
    const [first, second] = [await addWorkspace(gateway), await addWorkspace(gateway)];
    await updateWorkspace(manager, first.workspaceId, { slug: 'taken' });
    const before = await getWorkspace(manager, second.workspaceId);
    const refused = await patch(second.workspaceId, { name: 'Changed', slug: 'taken' });
    expect(await errorOf(refused)).toEqual({
      code: 400,
      message: 'Invalid request parameters: body.slug is the slug of another workspace',
      metadata: {
        reason: 'invalid_request',
        retryable: false,
        issues: [{ path: 'body.slug', message: 'is the slug of another workspace' }],
      },
    });
    expect(await getWorkspace(manager, second.workspaceId)).toEqual(before);
    // Its own it may keep, and another organization has slugs of its own.
    expect((await patch('taken', { slug: 'taken' })).status).toBe(200);
    expect((await updateWorkspace(stranger, foreign.workspaceId, { slug: 'taken' })).slug).toBe('taken');
  });

  test('gives a slug to one of three simultaneous requests', async () => {
    const places = [await addWorkspace(gateway), await addWorkspace(gateway), await addWorkspace(gateway)];
    const answers = await Promise.all(
      places.map(({ workspaceId }) => patch(workspaceId, { slug: 'wanted' })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 400)).toHaveLength(2);
  });
});

describe('the audit log', () => {
  test('names the key, the operation, the workspace and the request of each update', async () => {
    const { workspaceId, organizationId } = await addWorkspace(gateway);
    const { slug } = await getWorkspace(manager, workspaceId);
    await manager.call('PATCH', `/workspaces/${slug}`, {
      body: { name: 'Seen' },
      headers: { 'x-request-id': 'audited-1' },
    });
    expect(await auditRows(gateway, `workspaces/${workspaceId}`)).toEqual([
      {
        organization_id: organizationId,
        key_hash: hashToken(gateway.managementKey),
        action: 'updateWorkspace',
        target: `workspaces/${workspaceId}`,
        request_id: 'audited-1',
      },
    ]);
  });

  test('shows neither reads nor refused updates', async () => {
    const { workspaceId } = await addWorkspace(gateway);
    await getWorkspace(manager, workspaceId);
    for (const body of [{}, { name: '' }, { name: 'x', slug: 'default' }]) {
      expect((await patch(workspaceId, body)).status).toBe(400);
    }
    expect((await stranger.call('PATCH', `/workspaces/${workspaceId}`, { body: { name: 'x' } })).status).toBe(
      404,
    );
    expect(await auditRows(gateway, `workspaces/${workspaceId}`)).toEqual([]);
  });

  test('commits together with the change, or neither does', async () => {
    const { workspaceId } = await addWorkspace(gateway);
    const before = await getWorkspace(manager, workspaceId);
    await gateway.database.query('alter table audit_log rename to audit_log_away');
    try {
      expect((await patch(workspaceId, { name: 'Unseen' })).status).toBe(500);
    } finally {
      await gateway.database.query('alter table audit_log_away rename to audit_log');
    }
    expect(await getWorkspace(manager, workspaceId)).toEqual(before);
  });
});
