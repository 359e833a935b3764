import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nanosToUsd } from '../../domain/money.ts';
import { addChatModel } from '../support/catalog.ts';
import { createCaller } from '../support/caller.ts';
import { askChat, completed, generationIdOf, ledgerRow } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { auditEvents, wordsOf } from '../support/response-events.ts';
import { askResponse, readResponseEvents, responded } from '../support/responses.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { PROVIDER_SECOND_API_KEY: 'upstream-key' } });
  await addChatModel(gateway, 'test/two', [
    { provider: 'local' },
    { provider: 'second', adapter: 'openai-compatible' },
  ]);
});

afterAll(() => gateway.close());

const sent = () => gateway.upstream.requests('chat').at(-1)?.fields ?? {};
const weather = { type: 'function', name: 'weather', parameters: { type: 'object' } };

describe('POST /responses', () => {
  test('answers with the id of the generation, whose row has tokens and cost', async () => {
    const answered = await askResponse(gateway, { user: 'someone', session_id: 'a session' });
    const response = await responded(answered);
    expect(response).toMatchObject({
      id: generationIdOf(answered),
      object: 'response',
      status: 'completed',
      model: 'local/echo-1',
      provider: 'Local upstream',
      output: [
        {
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'You said: Hello there', annotations: [] }],
        },
      ],
      usage: { is_byok: false, input_tokens_details: { cached_tokens: 0 } },
    });
    const row = await ledgerRow(gateway, response.id);
    const usage = response.usage!;
    expect(row).toMatchObject({
      status: 'completed',
      provider: 'local',
      streamed: false,
      finish_reason: 'stop',
      session_id: 'a session',
      external_user: 'someone',
      tokens_prompt: usage['input_tokens'],
      tokens_completion: usage['output_tokens'],
    });
    expect(nanosToUsd(BigInt(row.cost_nanos))).toBe(usage['cost']);
    const costs = usage['cost_details'] as Record<string, number>;
    expect(costs['upstream_inference_input_cost']! + costs['upstream_inference_output_cost']!).toBeCloseTo(
      usage['cost'] as number,
    );
  });

  test('costs as much as the same chat', async () => {
    const [response, chat] = await Promise.all([
      askResponse(gateway, {}).then(responded),
      askChat(gateway, {}).then(completed),
    ]);
    expect(response.usage!['cost']).toBe(chat.usage!.cost);
  });

  test('streams its events, and the last one has the cost of the ledger row', async () => {
    const answered = await askResponse(gateway, { stream: true });
    const events = await readResponseEvents(answered);
    auditEvents(events);
    expect([...new Set(events.map(({ type }) => type))]).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const told = events.flatMap(({ response }) => response ?? []);
    expect(new Set(told.map(({ id }) => id))).toEqual(new Set([generationIdOf(answered)]));
    expect(new Set(told.map(({ model }) => model))).toEqual(new Set(['local/echo-1']));
    const last = told.at(-1)!;
    expect(wordsOf(last)).toBe('You said: Hello there');
    const row = await ledgerRow(gateway, last.id);
    expect(row).toMatchObject({ status: 'completed', streamed: true, finish_reason: 'stop' });
    expect(nanosToUsd(BigInt(row.cost_nanos))).toBe(last.usage!['cost']);
  });

  test('calls a function, and continues with its result', async () => {
    const input = [{ role: 'user', content: 'The weather {"city":"Ulm"} please' }];
    const first = await responded(await askResponse(gateway, { input, tools: [weather] }));
    expect(first.output).toMatchObject([
      { type: 'function_call', name: 'weather', arguments: '{"city":"Ulm"}', status: 'completed' },
    ]);
    expect((await ledgerRow(gateway, first.id)).finish_reason).toBe('tool_calls');
    const { call_id: callId } = first.output[0]!;
    const answered = { type: 'function_call_output', call_id: callId, output: 'Rain' };
    const second = await responded(
      await askResponse(gateway, { input: [...input, ...first.output, answered], tools: [weather] }),
    );
    expect(wordsOf(second)).toBe('The tool said: Rain');
    expect(sent()).toMatchObject({
      messages: [
        input[0],
        {
          role: 'assistant',
          tool_calls: [{ id: callId, function: { name: 'weather', arguments: '{"city":"Ulm"}' } }],
        },
        { role: 'tool', tool_call_id: callId, content: 'Rain' },
      ],
    });
  });

  test('calls two functions in one stream', async () => {
    const tools = [weather, { ...weather, name: 'look_up' }];
    const answered = await askResponse(gateway, { input: 'weather and look_up', tools, stream: true });
    const events = await readResponseEvents(answered);
    auditEvents(events);
    expect(events.at(-1)!.response!.output.map(({ name }) => name)).toEqual(['weather', 'look_up']);
    const types = new Set(events.map(({ type }) => type));
    expect(types).toContain('response.function_call_arguments.delta');
    expect(types).toContain('response.function_call_arguments.done');
    const { rows } = await gateway.database.query<{ tool_calls: number }>(
      'select tool_calls from generations where id = $1',
      [generationIdOf(answered)],
    );
    expect(rows).toEqual([{ tool_calls: 2 }]);
  });

  test('follows instructions and text.format', async () => {
    const format = {
      type: 'json_schema',
      name: 'answer',
      schema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    };
    const shaped = await responded(
      await askResponse(gateway, { instructions: 'Be brief.', text: { format } }),
    );
    expect(JSON.parse(wordsOf(shaped))).toHaveProperty('word');
    expect(shaped).toMatchObject({ instructions: 'Be brief.', text: { format } });
    expect(sent()).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello there' },
      ],
      response_format: { type: 'json_schema', json_schema: { name: 'answer' } },
    });
  });

  test.each([false, true])(
    'answers incomplete when max_output_tokens cuts the text off (stream: %s)',
    async (stream) => {
      const answered = await askResponse(gateway, { max_output_tokens: 2, stream });
      const response = stream
        ? (await readResponseEvents(answered)).at(-1)!.response!
        : await responded(answered);
      expect(response).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        completed_at: null,
        output: [{ status: 'incomplete' }],
      });
      expect(await ledgerRow(gateway, response.id)).toMatchObject({
        status: 'completed',
        finish_reason: 'length',
      });
    },
  );
});

describe('the upstream request of a response', () => {
  test("contains no field of the gateway's own", async () => {
    const own = {
      models: ['local/echo-1'],
      provider: { allow_fallbacks: true },
      session_id: 's',
      trace: { trace_id: 't' },
      user: 'u',
      route: 'fallback',
      plugins: [{ id: 'web', enabled: false }],
      stop_server_tools_when: [{ type: 'step_count_is', step_count: 1 }],
      debug: { echo_upstream_body: false },
      store: false,
    };
    await responded(await askResponse(gateway, { ...own, temperature: 0.5, unknown_to_us: { deep: [1] } }));
    expect(sent()).toMatchObject({ model: 'echo-1', temperature: 0.5, unknown_to_us: { deep: [1] } });
    for (const name of [...Object.keys(own), 'input']) expect(sent()).not.toHaveProperty(name);
  });

  test('contains no cache_control for an endpoint that ignores it', async () => {
    const marker = { cache_control: { type: 'ephemeral' } };
    const content = [
      { type: 'input_text', text: 'One', ...marker },
      { type: 'input_text', text: 'two' },
    ];
    await responded(await askResponse(gateway, { ...marker, input: [{ role: 'user', content }] }));
    expect(JSON.stringify(sent())).not.toContain('cache_control');
  });

  test("contains the preset's prompt and settings, which the answer omits", async () => {
    const manager = createCaller(gateway.origin, gateway.managementKey);
    const preset = {
      model: 'local/echo-1',
      instructions: 'You are a lock keeper.',
      max_output_tokens: 3,
      tools: [weather],
      input: 'x',
    };
    const made = await manager.call('POST', '/presets/keeper/responses', { body: preset });
    expect(made.status).toBe(200);
    const answered = await eventually('the preset', async () => {
      const response = await askResponse(gateway, { model: '@preset/keeper', instructions: 'Be brief.' });
      return response.status === 200 ? responded(response) : undefined;
    });
    expect(sent()).toMatchObject({
      max_tokens: 3,
      tools: [{ type: 'function', function: { name: 'weather' } }],
      messages: [
        { role: 'system', content: 'You are a lock keeper.\n\nBe brief.' },
        { role: 'user', content: 'Hello there' },
      ],
    });
    expect(answered['instructions']).toBe('Be brief.');
    expect((await ledgerRow(gateway, answered.id)).preset_id).not.toBeNull();
  });
});

describe('the endpoint of a response', () => {
  test.each([false, true])('gives way to the next one when it fails (stream: %s)', async (stream) => {
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 503 });
    const answered = await askResponse(gateway, { model: 'test/two', stream });
    const response = stream
      ? (await readResponseEvents(answered)).at(-1)!.response!
      : await responded(answered);
    expect(response['provider']).toBe('second');
    expect((await ledgerRow(gateway, response.id)).provider_responses).toMatchObject([
      { endpoint_id: 'test/two@local', status: 503 },
      { endpoint_id: 'test/two@second', status: 200 },
    ]);
  });
});
