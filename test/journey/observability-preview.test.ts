import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newGenerationId } from '../../domain/ids.ts';
import { addKey, addOrganization, addWorkspace } from '../support/accounts.ts';
import { type Caller, createCaller, errorOf, visibleParts } from '../support/caller.ts';
import { askChat, completed } from '../support/chat.ts';
import { draftOf, makeDestination } from '../support/destinations.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { updateWorkspace } from '../support/workspaces.ts';

interface WireAttributes {
  attributes: { key: string; value: Record<string, unknown> }[];
}

interface WireSpan extends WireAttributes {
  name: string;
  events: WireAttributes[];
}

type WirePreview = { sent: true; span: WireSpan } | { sent: false; rule: string; reason: string };

let gateway: Gateway;
let manager: Caller;
let receiver: Receiver;
let generationId: string;

beforeAll(async () => {
  [gateway, receiver] = await Promise.all([
    startGateway({ worker: ['broadcast'] }),
    startReceiver({ status: 200 }),
  ]);
  manager = createCaller(gateway.origin, gateway.managementKey);
  await makeDestination(manager, { config: { url: receiver.url } });
  const asked = { temperature: 0.5, session_id: 'session-1', trace: { team: 'shop' }, user: 'buyer' };
  generationId = (await completed(await askChat(gateway, asked))).id;
});

afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

function ask(body: object, by = manager): Promise<Response> {
  return by.call('POST', '/observability/destinations/preview', { body });
}

async function previewOf(
  fields: object = {},
  type: 'webhook' | 'langfuse' | 's3' = 'webhook',
): Promise<WirePreview> {
  const response = await ask(draftOf(type, { generation_id: generationId, ...fields }));
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return (JSON.parse(text) as { data: WirePreview }).data;
}

async function spanOf(...draft: Parameters<typeof previewOf>): Promise<WireSpan> {
  const preview = await previewOf(...draft);
  if (!preview.sent) throw new Error(preview.reason);
  return preview.span;
}

function valuesOf({ attributes }: WireAttributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

async function attributesOf(...draft: Parameters<typeof previewOf>): Promise<Record<string, unknown>> {
  return valuesOf(await spanOf(...draft));
}

async function countRows(): Promise<unknown> {
  const { rows } = await gateway.database.query(
    `select (select count(*) from observability_destinations) destinations,
       (select count(*) from broadcast_attempts) attempts, (select count(*) from audit_log) audits`,
  );
  return rows;
}

describe('POST /observability/destinations/preview', () => {
  test('answers with the span that the destination receives', async () => {
    const [{ body } = { body: '' }] = await receiver.next(1);
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: [{ scopeSpans: [{ spans: [WireSpan] }] }];
    };
    const [span] = resourceSpans[0].scopeSpans[0].spans;
    expect(await previewOf()).toEqual({ sent: true, span });
    expect(await attributesOf()).toMatchObject({
      'gen_ai.input.messages': expect.stringContaining('Hello there'),
      'gen_ai.output.messages': expect.stringContaining('Hello there'),
      'sluice.generation.id': generationId,
      'gen_ai.request.temperature': 0.5,
      'gen_ai.conversation.id': 'session-1',
      'trace.metadata.team': 'shop',
    });
  });

  test('names the same provider in the span and in its attempts', async () => {
    const span = await spanOf();
    const provider = { 'gen_ai.provider.name': 'local' };
    expect([span, ...span.events].map(valuesOf)).toMatchObject([provider, provider]);
  });

  test("shows cost and identity only if the draft's flags ask for them", async () => {
    const bare = await attributesOf();
    expect(bare).not.toHaveProperty(['gen_ai.usage.cost']);
    expect(bare).not.toHaveProperty(['user.id']);
    const full = { broadcast_generation_cost: true, broadcast_generation_identity: true };
    expect(await attributesOf(full)).toMatchObject({
      'gen_ai.usage.cost': expect.anything(),
      'user.id': expect.anything(),
    });
  });

  test("names attributes as the destination's type does", async () => {
    const name = ['langfuse.observation.type'];
    expect(await attributesOf({}, 'langfuse')).toHaveProperty(name);
    expect(await attributesOf({}, 's3')).not.toHaveProperty(name);
  });

  test('omits prompt and answer in privacy mode', async () => {
    const preview = await previewOf({ privacy_mode: true });
    expect(preview).toMatchObject({ sent: true });
    expect(JSON.stringify(preview)).not.toMatch(/Hello there|content_dropped/);
  });

  test('stores nothing, and sends nothing to the tool', async () => {
    const before = await countRows();
    const requests = receiver.received.length;
    await previewOf({ config: { url: receiver.url } });
    expect(await countRows()).toEqual(before);
    expect(receiver.received).toHaveLength(requests);
  });

  test('works for a workspace that had no destination when the generation ended', async () => {
    const place = await addWorkspace(gateway);
    const { token } = await addKey(gateway, place);
    const caller = createCaller(gateway.origin, token);
    const { id } = await completed(await askChat(gateway, { temperature: 0.5 }, caller));
    const attributes = await attributesOf({ workspace_id: place.workspaceId, generation_id: id });
    expect(attributes).toMatchObject({ 'sluice.generation.id': id });
    expect(attributes).not.toHaveProperty(['gen_ai.request.temperature']);
    expect(attributes).not.toHaveProperty(['sluice.content_dropped']);
  });
});

test('the preview answers that a filter on a prompt that is not stored cannot decide', async () => {
  const place = await addWorkspace(gateway);
  const { token } = await addKey(gateway, place);
  const { id } = await completed(await askChat(gateway, {}, createCaller(gateway.origin, token)));
  for (const operator of ['contains', 'not_contains']) {
    const filter_rules = { groups: [{ rules: [{ field: 'input', operator, value: 'x' }] }] };
    const fields = { workspace_id: place.workspaceId, generation_id: id, filter_rules };
    expect(await previewOf(fields)).toEqual({
      sent: false,
      rule: 'filter_rules',
      reason:
        'The filter rules test the prompt or the answer of the generation, which is not stored, or not as a whole.',
    });
  }
});

describe('the rule of a preview that leaves a generation out', () => {
  test('names api_key_hashes for a generation of another key', async () => {
    const { hash } = await addKey(gateway);
    expect(await previewOf({ api_key_hashes: [hash] })).toEqual({
      sent: false,
      rule: 'api_key_hashes',
      reason: 'The key of the generation is none of the keys of the destination.',
    });
  });

  test('names regions for a generation of another region', async () => {
    expect(await previewOf({ regions: ['eu', 'us'] })).toEqual({
      sent: false,
      rule: 'regions',
      reason:
        'The generation belongs to the region "global", and the destination receives "europe", "us" only.',
    });
  });

  test('names filter_rules for a generation that does not pass them', async () => {
    const filter = (value: string) => ({
      filter_rules: { groups: [{ rules: [{ field: 'user_id', operator: 'equals', value }] }] },
    });
    expect(await previewOf(filter('somebody'))).toEqual({
      sent: false,
      rule: 'filter_rules',
      reason: 'The generation does not pass every group of the filter rules.',
    });
    expect(await previewOf(filter('buyer'))).toMatchObject({ sent: true });
  });

  test('names filter_rules for a filter on the answer in privacy mode', async () => {
    const filter = (value: string) => ({
      filter_rules: { groups: [{ rules: [{ field: 'output', operator: 'contains', value }] }] },
      privacy_mode: true,
    });
    expect(await previewOf(filter('Goodbye'))).toMatchObject({ sent: false, rule: 'filter_rules' });
    expect(await previewOf(filter('Hello'))).toMatchObject({ sent: true });
  });

  test('names sampling_rate for a session outside the share', async () => {
    expect(await previewOf({ sampling_rate: 0.0001 })).toEqual({
      sent: false,
      rule: 'sampling_rate',
      reason: 'The session of the generation is not in the share of 0.0001 that is sent.',
    });
  });

  test("names the workspace's switch before all other rules", async () => {
    const turn = (on: boolean) =>
      updateWorkspace(manager, gateway.workspaceId, { is_observability_broadcast_enabled: on });
    await turn(false);
    expect(await previewOf({ regions: ['us'] })).toEqual({
      sent: false,
      rule: 'is_observability_broadcast_enabled',
      reason: 'The workspace forwards no generations at all.',
    });
    await turn(true);
  });

  test('ignores that the destination is disabled', async () => {
    expect(await previewOf({ enabled: false })).toMatchObject({ sent: true });
  });
});

describe('the refusal of a preview', () => {
  test('names every violation that the creation of the destination would name', async () => {
    const broken = {
      config: { url: 'https://10.0.0.1' },
      api_key_hashes: ['b'.repeat(64)],
      filter_rules: { groups: [{ rules: [{ field: 'model', operator: 'regex', value: '.{600}' }] }] },
      workspace_id: crypto.randomUUID(),
    };
    const malformed = { config: { url: 'https://app.example', color: 'red' }, name: '' };
    for (const fields of [broken, malformed]) {
      const draft = draftOf('webhook', fields);
      const created = await errorOf(
        await manager.call('POST', '/observability/destinations', { body: draft }),
      );
      const previewed = await errorOf(await ask({ ...draft, generation_id: generationId }));
      expect(created.metadata.issues!.length).toBeGreaterThan(1);
      // The operation of the specification keeps to its sentence; this one adds the first rule.
      expect(previewed).toEqual({ ...created, message: expect.stringContaining(created.message) });
    }
  });

  test('answers 400 to a missing generation_id', async () => {
    const { code, metadata } = await errorOf(await ask(draftOf('webhook')));
    expect([code, metadata.issues]).toEqual([400, [{ path: 'body.generation_id', message: 'is required' }]]);
  });

  test('answers the same 404 to unknown and foreign generations and other workspaces', async () => {
    const foreign = await addOrganization(gateway);
    const { token } = await addKey(gateway, { ...foreign, kind: 'management' });
    const foreigner = createCaller(gateway.origin, token);
    const body = draftOf('webhook', { generation_id: newGenerationId(Date.now()) });
    const missing = await visibleParts(await ask(body));
    expect(missing.status).toBe(404);
    const ofGeneration = draftOf('webhook', { generation_id: generationId });
    const elsewhere = { ...ofGeneration, workspace_id: (await addWorkspace(gateway)).workspaceId };
    expect(await visibleParts(await ask(ofGeneration, foreigner))).toEqual(missing);
    expect(await visibleParts(await ask(elsewhere))).toEqual(missing);
    expect(await visibleParts(await ask({ ...body, generation_id: 'x' }))).toEqual(missing);
  });
});
