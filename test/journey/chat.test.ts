import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nanosToUsd } from '../../domain/money.ts';
import { addChatModel } from '../support/catalog.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { askChat, completed, generationIdOf, ledgerRow, readEvents, textOf } from '../support/chat.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type LoopbackServer, startLoopbackServer } from '../platform/loopback-server.ts';

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

describe('a chat completion', () => {
  test('has the id of its generation, whose ledger row has the same facts', async () => {
    const response = await askChat(gateway, { user: 'someone', session_id: 'a session' });
    const answer = await completed(response);
    expect(answer.id).toBe(generationIdOf(response));
    expect(answer).toMatchObject({ model: 'local/echo-1', provider: 'Local upstream' });
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { role: 'assistant', content: 'You said: Hello there' },
    });
    const row = await ledgerRow(gateway, answer.id);
    expect(row).toMatchObject({
      status: 'completed',
      provider: 'local',
      streamed: false,
      finish_reason: 'stop',
      session_id: 'a session',
      external_user: 'someone',
      tokens_prompt: answer.usage!.prompt_tokens,
      tokens_completion: answer.usage!.completion_tokens,
    });
    expect(nanosToUsd(BigInt(row.cost_nanos))).toBe(answer.usage!.cost);
    expect(answer.usage!.cost).toBeGreaterThan(0);
  });

  test('exists in the ledger when the response arrives', async () => {
    const { id } = await completed(await askChat(gateway, {}));
    const { rowCount } = await gateway.database.query('select from generations where id = $1', [id]);
    expect(rowCount).toBe(1);
  });

  test('streams under one id, with usage and cost in the last chunk', async () => {
    const response = await askChat(gateway, { stream: true });
    const chunks = await readEvents(response);
    expect(new Set(chunks.map(({ id }) => id))).toEqual(new Set([generationIdOf(response)]));
    expect(textOf(chunks)).toBe('You said: Hello there');
    const last = chunks.at(-1)!;
    expect(last.choices).toMatchObject([{ finish_reason: 'stop' }]);
    expect(chunks.filter(({ usage }) => usage)).toHaveLength(1);
    const row = await ledgerRow(gateway, last.id);
    expect(row).toMatchObject({ status: 'completed', streamed: true, finish_reason: 'stop' });
    expect(nanosToUsd(BigInt(row.cost_nanos))).toBe(last.usage!.cost);
  });

  test('sends usage in a chunk of its own, and null before, if include_usage is set', async () => {
    const chunks = await readEvents(
      await askChat(gateway, { stream: true, stream_options: { include_usage: true } }),
    );
    const last = chunks.at(-1)!;
    expect(last.choices).toEqual([]);
    expect(last.usage!.cost).toBeGreaterThan(0);
    expect(chunks.at(-2)!.choices).toMatchObject([{ finish_reason: 'stop' }]);
    for (const chunk of chunks.slice(0, -1)) expect(chunk).toHaveProperty('usage', null);
  });

  test("contains the model's tool calls, streamed or whole", async () => {
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
    const messages = [{ role: 'user', content: 'What is the weather?' }];
    const whole = await completed(await askChat(gateway, { tools, messages }));
    expect(whole.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ type: 'function', function: { name: 'weather' } }] },
    });
    const chunks = await readEvents(await askChat(gateway, { tools, messages, stream: true }));
    expect(chunks.some(({ choices }) => choices[0]?.finish_reason === 'tool_calls')).toBe(true);
    const { rows } = await gateway.database.query<{ tool_calls: number }>(
      'select tool_calls from generations where id = any($1)',
      [[whole.id, chunks[0]!.id]],
    );
    expect(rows.map((row) => row.tool_calls)).toEqual([1, 1]);
  });
});

describe('the request to the upstream', () => {
  test("omits the gateway's own fields and keeps all others unchanged", async () => {
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
    };
    const rest = {
      temperature: 0.5,
      seed: 7,
      logit_bias: { '50256': -100 },
      unknown_to_us: { deep: [1, null] },
    };
    await completed(await askChat(gateway, { ...own, ...rest }));
    expect(sent()).toMatchObject({ model: 'echo-1', ...rest });
    for (const name of Object.keys(own)) expect(sent()).not.toHaveProperty(name);
  });

  test("contains the caller's options for the serving provider only", async () => {
    const options = { local: { mine: 1, max_tokens: 9, user: 'u' }, second: { theirs: 2 } };
    await completed(await askChat(gateway, { max_tokens: 5, provider: { options } }));
    expect(sent()).toMatchObject({ mine: 1, max_tokens: 5 });
    expect(sent()).not.toHaveProperty('user');
    expect(sent()).not.toHaveProperty('theirs');
  });
});

describe('the routing of a chat', () => {
  test('moves to the next endpoint after a 503, and the ledger row lists both', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 503 });
    const answer = await completed(await askChat(gateway, { model: 'test/two' }));
    expect(answer.provider).toBe('second');
    const { provider_responses: responses } = await ledgerRow(gateway, answer.id);
    expect(responses).toMatchObject([
      { endpoint_id: 'test/two@local', status: 503, error: 'overloaded' },
      { endpoint_id: 'test/two@second', status: 200 },
    ]);
  });

  test('moves to the next endpoint if a stream fails before its first chunk', async () => {
    gateway.upstream.addFaults({ kind: 'cut-stream', events: 0 });
    const chunks = await readEvents(await askChat(gateway, { model: 'test/two', stream: true }));
    expect(chunks.at(-1)!.provider).toBe('second');
  });

  test('moves to the next model when all endpoints of one have failed', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 500, times: 2 });
    const answer = await completed(await askChat(gateway, { model: 'test/two', models: ['local/echo-1'] }));
    expect(answer.model).toBe('local/echo-1');
    expect((await ledgerRow(gateway, answer.id)).provider_responses).toHaveLength(3);
  });

  test('stops at an endpoint that refuses the request itself with 400', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 400, message: 'Too long.' });
    const response = await askChat(gateway, { model: 'test/two' });
    expect(await errorOf(response)).toMatchObject({
      code: 400,
      message: 'Invalid request parameters: body was refused by the provider: Too long.',
      metadata: { reason: 'provider_invalid_request' },
    });
    expect((await ledgerRow(gateway, generationIdOf(response))).provider_responses).toHaveLength(1);
  });

  test('stops at the first endpoint if allow_fallbacks is false', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 500 });
    const response = await askChat(gateway, { model: 'test/two', provider: { allow_fallbacks: false } });
    expect(response.status).toBe(502);
  });

  test("uses the workspace's default model when the request names none", async () => {
    const manager = createCaller(gateway.origin, gateway.managementKey);
    const path = `/workspaces/${gateway.workspaceId}`;
    expect((await errorOf(await askChat(gateway, { model: undefined }))).metadata.issues).toEqual([
      { path: 'body.model', message: 'is required' },
    ]);
    await manager.call('PATCH', path, { body: { default_text_model: 'local/echo-1' } });
    const answer = await eventually('the default model', async () => {
      const response = await askChat(gateway, { model: undefined });
      return response.status === 200 ? completed(response) : undefined;
    });
    expect(answer.model).toBe('local/echo-1');
  });
});

describe("a chat by another vendor's server", () => {
  let upstream: LoopbackServer;
  /** What it answers: an object as JSON, a list as the events of a stream. */
  let answer: object;

  beforeAll(async () => {
    upstream = await startLoopbackServer((request, response) => {
      if (request.headers.authorization !== undefined) return response.writeHead(401).end();
      if (!Array.isArray(answer)) return response.end(JSON.stringify(answer));
      response.setHeader('content-type', 'text/event-stream');
      for (const chunk of answer) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
      return response.end('data: [DONE]\n\n');
    });
    answer = { choices: [{ message: { content: 'Here.' } }] };
    await addChatModel(gateway, 'test/ollama', [
      { provider: 'ollama', adapter: 'openai-compatible', baseUrl: upstream.origin },
    ]);
  });

  afterAll(() => upstream.close());

  const thinks = { content: 'Hi', reasoning_content: 'Hm.' };
  const usage = {
    prompt_tokens: 4,
    completion_tokens: 6,
    completion_tokens_details: { rejected_prediction_tokens: 2 },
  };

  test('works without a credential, with thoughts as reasoning and a normalized finish_reason', async () => {
    answer = { choices: [{ message: thinks, finish_reason: 'MAX_TOKENS' }], usage };
    const whole = await completed(await askChat(gateway, { model: 'test/ollama' }));
    expect(whole.choices).toEqual([
      {
        index: 0,
        message: { role: 'assistant', content: 'Hi', reasoning: 'Hm.' },
        finish_reason: 'length',
        native_finish_reason: 'MAX_TOKENS',
      },
    ]);
    expect(whole.usage?.completion_tokens_details).toMatchObject({ rejected_prediction_tokens: 2 });
    expect((await ledgerRow(gateway, whole.id)).finish_reason).toBe('length');
  });

  test('streams thoughts as reasoning and a normalized finish_reason', async () => {
    answer = [
      { choices: [{ delta: thinks }] },
      { choices: [{ delta: {}, finish_reason: 'refusal' }] },
      { choices: [], usage },
    ];
    const chunks = await readEvents(await askChat(gateway, { model: 'test/ollama', stream: true }));
    expect(chunks[0]!.choices[0]!.delta).toEqual({ content: 'Hi', reasoning: 'Hm.' });
    expect(chunks[1]!.choices[0]).toMatchObject({
      finish_reason: 'content_filter',
      native_finish_reason: 'refusal',
    });
    expect(chunks.at(-1)!.usage).toMatchObject({
      completion_tokens: 6,
      completion_tokens_details: { rejected_prediction_tokens: 2 },
    });
  });
});

describe('a request that cannot be served', () => {
  test.each([
    ['an unknown model', { model: 'no/such' }, 404, 'model_not_found'],
    ['an unknown fallback', { models: ['no/such'] }, 404, 'model_not_found'],
    ['a model for something else', { model: 'local/embed-1' }, 404, 'model_not_found'],
    ['preferences that no endpoint fits', { provider: { only: ['nobody'] } }, 404, 'no_matching_endpoint'],
    ['an unknown preset', { model: '@preset/none' }, 404, 'preset_not_found'],
    ['a plugin', { plugins: [{ id: 'web' }] }, 400, 'invalid_request'],
    ['a server tool', { tools: [{ type: 'openrouter:web_search' }] }, 400, 'invalid_request'],
    ['web search by another name', { tools: [{ type: 'web_search_preview' }] }, 400, 'invalid_request'],
    ['fallbacks by another name', { fallbacks: [{ model: 'test/two' }] }, 400, 'invalid_request'],
    ['an echo of the request', { debug: { echo_upstream_body: true } }, 400, 'invalid_request'],
    ['an order that is not known', { provider: { sort: 'eu' } }, 400, 'invalid_request'],
    ['a price that is none', { provider: { max_price: { prompt: 'a' } } }, 400, 'invalid_request'],
    ['no messages', { messages: [] }, 400, 'invalid_request'],
    ['a message without content', { messages: [{ role: 'user' }] }, 400, 'invalid_request'],
  ])(
    'gets for %s its status and reason, without an upstream request or a generation',
    async (_what, body, status, reason) => {
      const calls = gateway.upstream.requests('chat').length;
      const response = await askChat(gateway, body);
      expect(response.headers.get('x-generation-id')).toBeNull();
      expect(await errorOf(response)).toMatchObject({ code: status, metadata: { reason } });
      expect(gateway.upstream.requests('chat')).toHaveLength(calls);
    },
  );

  test('gets a refusal if its key is a management key', async () => {
    const manager = createCaller(gateway.origin, gateway.managementKey);
    expect((await errorOf(await askChat(gateway, {}, manager))).message).toBe(
      'Management keys cannot call generation endpoints',
    );
  });
});
