import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { broadcastWorkflowId } from '../../domain/runs.ts';
import { generationsIn } from '../support/broadcast-scene.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { getDestination, makeDestination, updateDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

let gateway: Gateway;
let manager: Caller;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startGateway({
    worker: ['broadcast', 'maintenance', 'video', 'webhooks'],
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 },
  });
  manager = createCaller(gateway.origin, gateway.managementKey);
  const overrides = [{ minPromptTokens: 50, prompt: '0.00001', completion: '0.00002' }];
  const pricing = { prompt: '0.000001', completion: '0.000002', request: '0.0000033333', overrides };
  await addChatModel(gateway, 'test/steps', [{ provider: 'local', pricing }]);
  receiver = await startReceiver();
});

afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

const CHAT = { model: 'local/echo-1', messages: [{ role: 'user', content: 'Hello' }] };

async function chat(body: object = {}): Promise<string> {
  const answer = await gateway.call('POST', '/api/v1/chat/completions', { body: { ...CHAT, ...body } });
  await answer.text();
  return answer.headers.get('x-generation-id')!;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number; doubleValue?: number };
}

function attributesIn(body: string): Record<string, unknown> {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: { scopeSpans: { spans: { attributes: Attribute[] }[] }[] }[];
  };
  const { attributes } = resourceSpans[0]!.scopeSpans[0]!.spans[0]!;
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

test('a chat reaches a webhook within seconds with its parameters, trace and cost', async () => {
  const { id } = await makeDestination(manager, {
    config: { url: receiver.url },
    broadcast_generation_cost: true,
    broadcast_generation_cost_allocation: true,
  });
  const generation = await chat({
    temperature: 0.5,
    max_tokens: 50,
    session_id: 'session-1',
    trace: { trace_name: 'checkout', team: 'shop' },
  });
  const { body } = (await receiver.next(1))[0]!;
  expect(generationsIn(body)).toEqual([generation]);
  expect(attributesIn(body)).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'local/echo-1',
    'gen_ai.response.model': 'echo-1',
    'gen_ai.request.temperature': 0.5,
    'gen_ai.request.max_tokens': 50,
    'gen_ai.conversation.id': 'session-1',
    'trace.metadata.team': 'shop',
    'gen_ai.usage.cost': expect.anything(),
    // Four tokens at a dollar a million, three at two.
    'sluice.cost.total': 0.00001,
    'sluice.cost.prompt': 0.000004,
    'sluice.cost.completion': 0.000006,
  });
  const run = await gateway.temporal.workflow.getHandle(broadcastWorkflowId(id)).describe();
  expect(run.status.name).toBe('RUNNING');
  await eventually('the counters of the delivery', async () => {
    const { delivery } = await getDestination(manager, id);
    return delivery['delivered'] === 1 && delivery['backlog'] === 0 ? true : undefined;
  });
});

test.each([
  ['short', 1, 0.000001, 0.000002],
  ['long', 100, 0.00001, 0.00002],
])(
  'the costs by kind of a %s chat are at its prices and add up',
  async (_length, words, prompt, completion) => {
    const before = receiver.received.length;
    await chat({ model: 'test/steps', messages: [{ role: 'user', content: 'word '.repeat(words) }] });
    const attributes = attributesIn((await receiver.next(before + 1)).at(-1)!.body);
    const number = (name: string) => Number(attributes[name]);
    expect(number('sluice.cost.prompt')).toBeCloseTo(number('gen_ai.usage.input_tokens') * prompt, 9);
    expect(number('sluice.cost.completion')).toBeCloseTo(
      number('gen_ai.usage.output_tokens') * completion,
      9,
    );
    const names = Object.keys(attributes).filter((name) => /^sluice\.cost\.(?!total)/.test(name));
    const sum = names.reduce((total, name) => total + Math.round(number(name) * 1e9), 0);
    expect(sum).toBe(Math.round(number('sluice.cost.total') * 1e9));
  },
);

const MESSAGES = [{ role: 'user', content: 'Hello' }];

test.each<[string, string, object]>([
  ['chat', '/chat/completions', { ...CHAT, stream: true }],
  ['message', '/messages', { model: 'local/echo-1', max_tokens: 50, messages: MESSAGES }],
  ['message', '/messages', { model: 'local/echo-1', max_tokens: 50, messages: MESSAGES, stream: true }],
  ['response', '/responses', { model: 'local/echo-1', input: 'Hello' }],
  ['response', '/responses', { model: 'local/echo-1', input: 'Hello', stream: true }],
  ['list of embeddings', '/embeddings', { model: 'local/embed-1', input: 'Hello' }],
])('a %s names the model that answered (%s, %j)', async (_kind, path, body) => {
  const before = receiver.received.length;
  const answer = await gateway.call('POST', `/api/v1${path}`, { body });
  expect(answer.status).toBe(200);
  await answer.text();
  const received = await receiver.next(before + 1);
  const attributes = attributesIn(received.at(-1)!.body);
  const asked = (body as { model: string }).model;
  expect(attributes['gen_ai.request.model']).toBe(asked);
  expect(attributes['gen_ai.response.model']).toBe(asked.replace('local/', ''));
});

test('a failed generation reaches the webhook with its error', async () => {
  const before = receiver.received.length;
  gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 500 });
  const failed = await chat();
  const received = await receiver.next(before + 1);
  const { body } = received.at(-1)!;
  expect(generationsIn(body)).toEqual([failed]);
  expect(attributesIn(body)).toMatchObject({ 'error.type': expect.anything() });
});

test("a video reaches the webhook with its request's trace once its job has ended", async () => {
  const before = receiver.received.length;
  const { id } = await submit(gateway, { trace: { trace_name: 'intro', team: 'shop' } });
  const { generation_id: generation } = await ended(gateway, id);
  const received = await receiver.next(before + 1);
  const { body } = received.at(-1)!;
  expect(generationsIn(body)).toEqual([generation]);
  const attributes = attributesIn(body);
  expect(attributes).toMatchObject({
    'gen_ai.operation.name': 'generate_content',
    'gen_ai.output.type': 'video',
    'trace.metadata.team': 'shop',
    'sluice.cost.media': expect.anything(),
  });
  expect(attributes['sluice.cost.media']).toBe(attributes['sluice.cost.total']);
});

test('a paused destination sends its owner an event, and retries at once after an update', async () => {
  const owner = await startReceiver();
  await manager.call('PATCH', `/workspaces/${gateway.workspaceId}`, {
    body: { default_callback_url: owner.url },
  });
  const strict = await startReceiver({ status: 401 });
  const { id } = await makeDestination(manager, { config: { url: strict.url } });
  const generation = await chat();
  const stateOf = async (): Promise<unknown> => (await getDestination(manager, id)).delivery['state'];
  await eventually('a paused destination', async () =>
    (await stateOf()) === 'needs_attention' ? true : undefined,
  );
  const run = gateway.temporal.workflow.getHandle(broadcastWorkflowId(id));
  await eventually('the backlog in the details of the run', async () => {
    const { currentDetails } = await run.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    return /\(401\)\. Generations that wait: 1\. Tried again after 300 s/.test(currentDetails) || undefined;
  });
  strict.answers.splice(0, 1, { status: 200 });
  await updateDestination(manager, id, { name: 'Repaired' });
  await strict.next(2);
  expect(generationsIn(strict.received[1]!.body)).toEqual([generation]);
  await eventually('a running destination', async () => ((await stateOf()) === 'running' ? true : undefined));
  const told = (await owner.next(2)).map(({ body }) => JSON.parse(body) as { type: string; data: object });
  // Each event is delivered on its own, so either may come first.
  expect(told.toSorted((a, b) => a.type.localeCompare(b.type))).toMatchObject([
    { type: 'observability.destination.paused', data: { id, reason: expect.stringContaining('401') } },
    { type: 'observability.destination.recovered', data: { id, reason: null } },
  ]);
  await owner.close();
  await strict.close();
});
