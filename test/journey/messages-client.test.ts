import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import { addChatModel } from '../support/catalog.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { anthropicClient } from '../support/sdk-clients.ts';

let gateway: Gateway;
let client: Anthropic;

beforeAll(async () => {
  gateway = await startGateway({
    env: { PROVIDER_CLAUDE_API_KEY: 'upstream-key', PROVIDER_CLAUDE_BETA_API_KEY: 'upstream-key' },
  });
  client = anthropicClient(gateway);
  await addChatModel(gateway, 'test/native', [{ provider: 'claude', adapter: 'anthropic' }]);
});

afterAll(() => gateway.close());

const messages = [{ role: 'user' as const, content: 'Hello there' }];
const weather: Anthropic.Tool = {
  name: 'weather',
  description: 'Tells the weather.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } } },
};

describe.each([['local/echo-1'], ['test/native']])("Anthropic's own client, for model %s", (model) => {
  const asked = { model, max_tokens: 100, messages };

  test('gets a message', async () => {
    const answer = await client.messages.create({ ...asked, system: 'Be brief.' });
    expect(answer).toMatchObject({
      type: 'message',
      model,
      content: [{ type: 'text', text: 'You said: Hello there' }],
      stop_reason: 'end_turn',
    });
    expect(answer.usage.output_tokens).toBeGreaterThan(0);
  });

  test('streams a message to its final message', async () => {
    const stream = client.messages.stream(asked);
    let text = '';
    stream.on('text', (piece) => (text += piece));
    const final = await stream.finalMessage();
    expect(text).toBe('You said: Hello there');
    expect(final).toMatchObject({ content: [{ type: 'text', text }], stop_reason: 'end_turn' });
    expect(final.usage).toMatchObject({
      input_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
    });
    expect(final.usage.input_tokens).toBeGreaterThan(0);
  });

  test('calls a tool and continues with its result, streamed and whole', async () => {
    const question = { role: 'user' as const, content: 'weather {"city":"Oslo"}' };
    const streamed = client.messages.stream({ ...asked, messages: [question], tools: [weather] });
    const called = await streamed.finalMessage();
    const use = called.content.find((block) => block.type === 'tool_use')!;
    expect(called.stop_reason).toBe('tool_use');
    expect(use).toMatchObject({ name: 'weather', input: { city: 'Oslo' } });
    const answer = await client.messages.create({
      ...asked,
      tools: [weather],
      messages: [
        question,
        { role: 'assistant', content: called.content },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.id, content: 'rain' }] },
      ],
    });
    expect(answer.content).toMatchObject([{ type: 'text', text: 'The tool said: rain' }]);
  });

  test("shows the request's id, streamed and whole", async () => {
    const answer = await client.messages.create(asked, { headers: { 'x-request-id': 'whole-1' } });
    expect(answer._request_id).toBe('whole-1');
    const stream = client.messages.stream(asked, { headers: { 'x-request-id': 'streamed-1' } });
    await stream.finalMessage();
    expect(stream.request_id).toBe('streamed-1');
  });

  test('throws overloaded_error when a stream fails midway', async () => {
    const on = model === 'test/native' ? ('messages' as const) : ('chat' as const);
    gateway.upstream.addFaults({ kind: 'error-event', on, events: 4, code: 'overloaded_error' });
    const stream = await client.messages.create({ ...asked, stream: true });
    const read = async (): Promise<void> => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toMatchObject({ type: 'overloaded_error' });
  });
});

describe("Anthropic's own client", () => {
  const ask = (apiKey: string, more: object = {}) =>
    anthropicClient(gateway, apiKey).messages.create({
      model: 'local/echo-1',
      max_tokens: 10,
      messages,
      ...more,
    });

  test('throws its own class for each kind of error', async () => {
    await expect(ask('sk-slc-wrong')).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    await expect(ask(gateway.apiKey, { model: 'no/such' })).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    await expect(ask(gateway.apiKey, { messages: [] })).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 429 });
    await expect(ask(gateway.apiKey)).rejects.toBeInstanceOf(Anthropic.RateLimitError);
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 503 });
    await expect(ask(gateway.apiKey)).rejects.toMatchObject({ status: 529, type: 'overloaded_error' });
  });

  test("shows the request's id for every failure", async () => {
    const headers = { 'x-request-id': 'refused-1' };
    const refused = [
      anthropicClient(gateway, 'sk-slc-wrong').messages.create(
        { model: 'm/m', max_tokens: 1, messages },
        { headers },
      ),
      client.messages.create({ model: 'local/echo-1', max_tokens: 1, messages: [] }, { headers }),
    ];
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 500 });
    refused.push(client.messages.create({ model: 'local/echo-1', max_tokens: 1, messages }, { headers }));
    for (const asked of refused) await expect(asked).rejects.toMatchObject({ requestID: 'refused-1' });
  });

  test('sends its beta features to an Anthropic upstream', async () => {
    const betas: (string | string[] | undefined)[] = [];
    const vendor = await startLoopbackServer(({ headers }, response) => {
      betas.push(headers['anthropic-beta']);
      response.end(JSON.stringify({ content: [{ type: 'text', text: 'Yes.' }], stop_reason: 'end_turn' }));
    });
    try {
      await addChatModel(gateway, 'test/beta', [
        { provider: 'claude-beta', adapter: 'anthropic', baseUrl: vendor.origin },
      ]);
      const asked = { model: 'test/beta', max_tokens: 10, messages, betas: ['context-1m-2025-08-07'] };
      await client.beta.messages.create(asked);
      expect(betas.at(-1)).toBe('context-1m-2025-08-07');
    } finally {
      await vendor.close();
    }
  });
});
