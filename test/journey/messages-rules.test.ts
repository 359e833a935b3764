import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey } from '../support/accounts.ts';
import { createCaller } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { askMessage, messageIn, messagesErrorOf } from '../support/messages.ts';

let gateway: Gateway;

const NATIVE = 'test/native';
const weather = { name: 'weather', input_schema: { type: 'object' } };

beforeAll(async () => {
  const env = {
    PROVIDER_CLAUDE_API_KEY: 'upstream-key',
    RATE_LIMIT_REQUESTS: '1000',
    RATE_LIMIT_INTERVAL: '1h',
  };
  gateway = await startGateway({ env });
  await addChatModel(gateway, NATIVE, [{ provider: 'claude', adapter: 'anthropic' }]);
});

afterAll(() => gateway.close());

describe('POST /messages', () => {
  test.each<[string, object, number, string]>([
    ['an unknown model', { model: 'no/such' }, 404, 'not_found_error'],
    ['an unknown preset', { model: '@preset/none' }, 404, 'not_found_error'],
    ['no messages', { messages: [] }, 400, 'invalid_request_error'],
    ['a role that is none', { messages: [{ role: 'tool', content: 'x' }] }, 400, 'invalid_request_error'],
    ['a tool without a schema', { tools: [{ name: 'x' }] }, 400, 'invalid_request_error'],
    ['a plugin', { plugins: [{ id: 'web' }] }, 400, 'invalid_request_error'],
    ['a server tool', { tools: [{ type: 'web_search_20250305', name: 'w' }] }, 400, 'invalid_request_error'],
    [
      'code to run',
      { tools: [{ type: 'code_execution_20260521', name: 'c' }] },
      400,
      'invalid_request_error',
    ],
    ['an adviser', { tools: [{ type: 'advisor_20260301', name: 'advisor' }] }, 400, 'invalid_request_error'],
    ['another speed', { speed: 'fast' }, 400, 'invalid_request_error'],
    ['two lists of models', { models: ['a/b'], fallbacks: [{ model: 'c/d' }] }, 400, 'invalid_request_error'],
  ])("refuses %s in Anthropic's envelope", async (_what, body, status, type) => {
    const response = await askMessage(gateway, body);
    expect(response.status).toBe(status);
    expect(await messagesErrorOf(response)).toMatchObject({
      type: 'error',
      error: { type, message: expect.any(String) },
      request_id: response.headers.get('x-request-id'),
    });
  });

  test("refuses a missing key and a management key in Anthropic's envelope", async () => {
    const stranger = await askMessage(gateway, {}, createCaller(gateway.origin));
    expect(stranger.status).toBe(401);
    expect(await messagesErrorOf(stranger)).toMatchObject({ error: { type: 'authentication_error' } });
    const manager = createCaller(gateway.origin, gateway.managementKey);
    expect(await messagesErrorOf(await askMessage(gateway, {}, manager))).toMatchObject({
      error: { type: 'permission_error' },
    });
  });

  test('answers 402 billing_error to an empty limit, with no upstream call', async () => {
    const { token } = await addKey(gateway, { limitNanos: 0n });
    const calls = gateway.upstream.requests().length;
    const response = await askMessage(gateway, {}, createCaller(gateway.origin, token));
    expect(response.status).toBe(402);
    expect(await messagesErrorOf(response)).toMatchObject({ error: { type: 'billing_error' } });
    expect(gateway.upstream.requests()).toHaveLength(calls);
  });

  test('answers 429 rate_limit_error with Retry-After beyond the rate limit', async () => {
    const { token } = await addKey(gateway, { rateLimitRequests: 1 });
    const caller = createCaller(gateway.origin, token);
    expect((await askMessage(gateway, {}, caller)).status).toBe(200);
    const response = await askMessage(gateway, {}, caller);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await messagesErrorOf(response)).toMatchObject({ error: { type: 'rate_limit_error' } });
  });

  test('answers 413 request_too_large to a body of 33 MiB', async () => {
    const text = 'x'.repeat(33 * 1024 ** 2);
    const response = await askMessage(gateway, { messages: [{ role: 'user', content: text }] });
    expect(response.status).toBe(413);
    expect(await messagesErrorOf(response)).toMatchObject({ error: { type: 'request_too_large' } });
  });

  test('accepts the key in the header x-api-key', async () => {
    const keyless = createCaller(gateway.origin);
    const answer = await askMessage(gateway, {}, keyless, { 'x-api-key': gateway.apiKey });
    expect((await messageIn(answer)).stop_reason).toBe('end_turn');
  });
});

test('a server tool that a message adds answers 400 and names its field', async () => {
  const definition = { type: 'web_search_20260318', name: 'w' };
  const addition = { type: 'tool_addition', tool: { type: 'tool_definition', definition } };
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }, addition] }];
  const { error } = await messagesErrorOf(await askMessage(gateway, { model: NATIVE, messages }));
  const path = 'body.messages.0.content.1.tool.definition.type';
  expect(error.metadata.issues!.map((issue) => issue.path)).toEqual([path]);
});

describe('provider.options in POST /messages', () => {
  const ask = (claude: object) => askMessage(gateway, { model: NATIVE, provider: { options: { claude } } });

  test.each<[object, string]>([
    [{ speed: 'fast' }, 'speed'],
    [{ inference_geo: 'us' }, 'inference_geo'],
    [{ tools: [{ type: 'web_search_20260318', name: 'w' }] }, 'tools.0.type'],
    [{ store: true }, 'store'],
    [{ web_search_options: {} }, 'web_search_options'],
  ])('answer 400 to what the request itself may not have: %j', async (options, path) => {
    const { error } = await messagesErrorOf(await ask(options));
    expect(error.metadata.issues!.map((issue) => issue.path)).toEqual([
      `body.provider.options.claude.${path}`,
    ]);
  });

  test('pass no metadata on to the upstream', async () => {
    await messageIn(await ask({ metadata: { user_id: 'u1' }, speed: 'standard', top_k: 3 }));
    const sent = gateway.upstream.requests('messages').at(-1)?.fields;
    expect(sent).toMatchObject({ top_k: 3 });
    expect(sent).not.toHaveProperty('metadata');
  });
});

describe('the reservation of a message', () => {
  test.each([
    ['local/echo-1', 'chat'],
    [NATIVE, 'messages'],
  ] as const)('ends after every failure (%s)', async (model, on) => {
    // Enough for one request at a time: what was not given back would refuse the next.
    const { token } = await addKey(gateway, { limitNanos: 60_000_000n });
    const caller = createCaller(gateway.origin, token);
    const ask = (more: object) => askMessage(gateway, { model, max_tokens: undefined, ...more }, caller);
    for (const kind of ['error-event', 'cut-stream'] as const) {
      gateway.upstream.addFaults({ kind, on, events: 5 });
      await (await ask({ stream: true })).text();
    }
    gateway.upstream.addFaults({ kind: 'status', on, status: 500 });
    expect((await ask({})).status).toBe(502);
    expect((await ask({})).status).toBe(200);
  });
});

describe('fallbacks and presets of POST /messages', () => {
  test('fallbacks name the models to try next', async () => {
    gateway.upstream.addFaults({ kind: 'status', on: 'messages', status: 500 });
    const answer = await messageIn(
      await askMessage(gateway, { model: NATIVE, fallbacks: [{ model: 'local/echo-1' }] }),
    );
    expect(answer.model).toBe('local/echo-1');
  });

  test('a preset with a refused field answers 400 body.speed', async () => {
    const manager = createCaller(gateway.origin, gateway.managementKey);
    const body = { model: NATIVE, speed: 'fast', messages: [{ role: 'user', content: 'x' }] };
    expect((await manager.call('POST', '/presets/fast/chat/completions', { body })).status).toBe(200);
    const { error } = await messagesErrorOf(await askMessage(gateway, { model: '@preset/fast' }));
    expect(error.metadata.issues).toMatchObject([{ path: 'body.speed' }]);
  });

  test("a chat preset reaches a native upstream in Anthropic's fields", async () => {
    const manager = createCaller(gateway.origin, gateway.managementKey);
    const body = {
      model: NATIVE,
      stop: ['END'],
      max_tokens: 55,
      tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }],
      messages: [{ role: 'system', content: 'Be brief.' }],
    };
    expect((await manager.call('POST', '/presets/brief/chat/completions', { body })).status).toBe(200);
    const asked = {
      model: '@preset/brief',
      max_tokens: undefined,
      system: 'In verse.',
      tools: [{ ...weather, name: 'tide' }],
    };
    const answer = await messageIn(await askMessage(gateway, asked));
    expect(gateway.upstream.requests('messages').at(-1)?.fields).toMatchObject({
      max_tokens: 55,
      stop_sequences: ['END'],
      system: 'Be brief.\n\nIn verse.',
      tools: [{ name: 'weather' }, { name: 'tide' }],
    });
    expect((await ledgerRow(gateway, answer.id)).preset_id).not.toBeNull();
  });
});
