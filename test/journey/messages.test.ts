import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { costOfTokens } from '../../domain/catalog/token-price.ts';
import { nanosToUsd } from '../../domain/money.ts';
import { addChatModel } from '../support/catalog.ts';
import { askChat, completed, generationIdOf, ledgerRow, readEvents, textOf } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { askMessage, messageIn, messagesErrorOf, readMessageEvents, saidIn } from '../support/messages.ts';

let gateway: Gateway;

const PRICING = {
  prompt: '0.000002',
  completion: '0.00001',
  inputCacheRead: '0.0000002',
  inputCacheWrite: '0.0000025',
  inputCacheWriteHour: '0.000004',
};

beforeAll(async () => {
  gateway = await startGateway({
    env: { PROVIDER_CLAUDE_API_KEY: 'upstream-key', PROVIDER_SECOND_API_KEY: 'upstream-key' },
  });
  await addChatModel(gateway, 'test/native', [
    { provider: 'claude', adapter: 'anthropic', pricing: PRICING },
  ]);
  await addChatModel(gateway, 'test/either', [
    { provider: 'claude', adapter: 'anthropic' },
    { provider: 'second', adapter: 'openai-compatible' },
  ]);
});

afterAll(() => gateway.close());

const NATIVE = 'test/native';
const MODELS = [
  ['translated to the upstream’s chat', 'local/echo-1', 'local'],
  ['passed on to an upstream of the same dialect', NATIVE, 'claude'],
] as const;
const weather = {
  name: 'weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } } },
};
const sentTo = (target: 'chat' | 'messages') => gateway.upstream.requests(target).at(-1)?.fields ?? {};

describe.each(MODELS)('a message %s', (_how, model, provider) => {
  test("has the id of its generation, whose row has the answer's tokens and cost", async () => {
    const response = await askMessage(gateway, { model, user: 'someone', session_id: 'a session' });
    const answer = await messageIn(response);
    expect(answer.id).toBe(generationIdOf(response));
    expect(answer).toMatchObject({
      type: 'message',
      role: 'assistant',
      model,
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { is_byok: false },
    });
    // `citations: null` would break clients that take a list or nothing.
    expect(answer.content).toEqual([{ type: 'text', text: 'You said: Hello there' }]);
    const row = await ledgerRow(gateway, answer.id);
    expect(row).toMatchObject({
      status: 'completed',
      provider,
      streamed: false,
      finish_reason: 'stop',
      session_id: 'a session',
      external_user: 'someone',
      tokens_prompt: answer.usage.input_tokens,
      tokens_completion: answer.usage.output_tokens,
    });
    expect(nanosToUsd(BigInt(row.cost_nanos))).toBe(answer.usage.cost);
    expect(answer.usage.cost).toBeGreaterThan(0);
  });

  test("streams the same text in Anthropic's events, with the cost before the end", async () => {
    const response = await askMessage(gateway, { model, stream: true });
    const events = await readMessageEvents(response);
    const opened = events.find(({ type }) => type === 'content_block_start');
    expect(opened).toMatchObject({ content_block: { type: 'text', text: '' } });
    expect(opened).not.toHaveProperty('content_block.citations');
    expect(events[0]).toMatchObject({
      type: 'message_start',
      message: { id: generationIdOf(response), model, role: 'assistant', content: [] },
    });
    expect(saidIn(events)).toBe('You said: Hello there');
    const [last, stop] = events.slice(-2);
    expect(last).toMatchObject({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: expect.any(Number), is_byok: false },
    });
    expect(stop).toEqual({ type: 'message_stop' });
    const row = await ledgerRow(gateway, generationIdOf(response));
    expect(row).toMatchObject({ status: 'completed', streamed: true, provider });
    expect(nanosToUsd(BigInt(row.cost_nanos))).toBe(last!.usage!['cost']);
  });

  test('costs as much as the same chat', async () => {
    const [answer, chat] = await Promise.all([
      askMessage(gateway, { model }).then(messageIn),
      askChat(gateway, { model, max_tokens: 100 }).then(completed),
    ]);
    expect(answer.usage.cost).toBe(chat.usage!.cost);
  });

  test('calls a tool, and continues with its result', async () => {
    const asked = { role: 'user', content: 'weather {"city":"Oslo"}' };
    const answer = await messageIn(await askMessage(gateway, { model, tools: [weather], messages: [asked] }));
    expect(answer).toMatchObject({ stop_reason: 'tool_use' });
    const use = answer.content.find(({ type }) => type === 'tool_use')!;
    expect(use).toMatchObject({ name: 'weather', input: { city: 'Oslo' } });
    const events = await readMessageEvents(
      await askMessage(gateway, { model, tools: [weather], messages: [asked], stream: true }),
    );
    expect(JSON.parse(saidIn(events, 'partial_json'))).toEqual({ city: 'Oslo' });
    const result = { type: 'tool_result', tool_use_id: use['id'], content: [{ type: 'text', text: 'rain' }] };
    const messages = [
      asked,
      { role: 'assistant', content: answer.content },
      { role: 'user', content: [result] },
    ];
    const next = await messageIn(await askMessage(gateway, { model, tools: [weather], messages }));
    expect(next.content).toMatchObject([{ type: 'text', text: 'The tool said: rain' }]);
  });

  test("sends the upstream neither the gateway's own fields nor the end user", async () => {
    const own = {
      models: [model],
      provider: { allow_fallbacks: true },
      session_id: 's',
      trace: { trace_id: 't' },
      metadata: { user_id: 'u1' },
      plugins: [{ id: 'web', enabled: false }],
    };
    const answer = await messageIn(
      await askMessage(gateway, { model, ...own, some_new_field: { deep: [1] } }),
    );
    const sent = sentTo(provider === 'local' ? 'chat' : 'messages');
    expect(sent).toMatchObject({ model: 'echo-1', some_new_field: { deep: [1] } });
    for (const name of Object.keys(own)) expect(sent).not.toHaveProperty(name);
    expect(await ledgerRow(gateway, answer.id)).toMatchObject({ external_user: 'u1', session_id: 's' });
  });
});

describe('a native upstream', () => {
  test('receives the request unchanged, and its answer arrives unchanged', async () => {
    const body = {
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      max_tokens: 77,
      top_k: 3,
      stop_sequences: ['END'],
      thinking: { type: 'adaptive', display: 'summarized' },
      safeguards: [{ type: 'strict' }],
    };
    const answer = await messageIn(await askMessage(gateway, { model: NATIVE, ...body }));
    expect(sentTo('messages')).toEqual({ ...body, model: 'echo-1' });
    expect(answer.content).toMatchObject([
      { type: 'thinking', signature: expect.any(String) },
      { type: 'text', text: 'You said: Hi' },
    ]);
    expect(answer.usage).toMatchObject({ service_tier: 'standard', cache_creation_input_tokens: 2 });
  });

  test('gets cache writes billed by their lifetime, and thinking as output', async () => {
    const system = [
      { type: 'text', text: 'one two three', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'four five', cache_control: { type: 'ephemeral', ttl: '1h' } },
    ];
    const answer = await messageIn(
      await askMessage(gateway, { model: NATIVE, system, thinking: { type: 'adaptive' } }),
    );
    const { input_tokens, output_tokens } = answer.usage;
    const usage = {
      prompt: input_tokens + 5,
      completion: output_tokens,
      cacheWrite: 5,
      cacheWriteHour: 2,
    };
    expect(answer.usage.cost).toBe(nanosToUsd(costOfTokens(PRICING, usage).totalNanos));
    const { rows } = await gateway.database.query('select * from generations where id = $1', [answer.id]);
    expect(rows[0]).toMatchObject({ tokens_prompt: input_tokens + 5 });
  });

  test('serves chat requests as well, streamed or whole', async () => {
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'weather {"city":"Oslo"}' },
    ];
    const asked = { model: NATIVE, tools, messages, reasoning: { effort: 'high' } };
    const whole = await completed(await askChat(gateway, asked));
    expect(sentTo('messages')).toMatchObject({
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'weather {"city":"Oslo"}' }],
      tools: [{ name: 'weather', input_schema: { type: 'object' } }],
      output_config: { effort: 'high' },
    });
    expect(whole).toMatchObject({
      model: NATIVE,
      choices: [
        {
          finish_reason: 'tool_calls',
          native_finish_reason: 'tool_use',
          message: {
            reasoning: expect.any(String),
            tool_calls: [{ function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
          },
        },
      ],
    });
    expect(whole.usage!.completion_tokens_details!.reasoning_tokens).toBeGreaterThan(0);
    const chunks = await readEvents(await askChat(gateway, { model: NATIVE, stream: true }));
    expect(textOf(chunks)).toBe('You said: Hello there');
    expect(chunks.at(-1)!.usage!.cost).toBeGreaterThan(0);
  });
});

describe('a model whose reasoning takes token budgets only', () => {
  const MODEL = 'test/budgeted';
  beforeAll(() =>
    addChatModel(gateway, MODEL, [{ provider: 'claude', adapter: 'anthropic' }], {
      reasoning: { mandatory: false, supportsMaxTokens: true },
    }),
  );

  test('gets the effort of a chat as a budget', async () => {
    await completed(await askChat(gateway, { model: MODEL, max_tokens: 10_000, reasoning_effort: 'high' }));
    expect(sentTo('messages')).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 8_000 } });
    expect(sentTo('messages')).not.toHaveProperty('output_config');
  });

  test('gets the thinking fields of a message unchanged', async () => {
    const own = { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } };
    await messageIn(await askMessage(gateway, { model: MODEL, ...own }));
    expect(sentTo('messages')).toMatchObject(own);
  });
});

describe('a field that an endpoint cannot carry', () => {
  test('routes the request to the endpoint that can', async () => {
    const answer = await messageIn(await askMessage(gateway, { model: 'test/either', safeguards: [{}] }));
    expect(answer.provider).toBe('claude');
    const chat = await completed(await askChat(gateway, { model: 'test/either', min_p: 0.1 }));
    expect(chat.provider).toBe('second');
  });

  test('gets 400 with its name and no upstream call if no endpoint can', async () => {
    const calls = gateway.upstream.requests().length;
    const { error } = await messagesErrorOf(await askMessage(gateway, { safeguards: [{}] }));
    expect(error).toMatchObject({
      type: 'invalid_request_error',
      metadata: { issues: [{ path: 'body.safeguards' }] },
    });
    expect(error.message).toContain('body.safeguards');
    const response = await askChat(gateway, { model: NATIVE, min_p: 0.1 });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('body.min_p');
    expect(gateway.upstream.requests()).toHaveLength(calls);
    expect(await ledgerRow(gateway, generationIdOf(response))).toMatchObject({ cost_nanos: '0' });
  });

  test('leaves the status 529 of the endpoint that can visible', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'messages', status: 529 });
    expect((await askMessage(gateway, { model: 'test/either', safeguards: [{}] })).status).toBe(529);
  });
});
