import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addKey } from '../support/accounts.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { askMessage, messageIn, messagesErrorOf, readMessageEvents } from '../support/messages.ts';
import { anthropicClient } from '../support/sdk-clients.ts';

const NATIVE = 'test/native';

let gateway: Gateway;

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

const edits = [
  { type: 'clear_thinking_20251015', keep: 'all' },
  { type: 'clear_tool_uses_20250919', trigger: { type: 'input_tokens', value: 30_000 } },
  { type: 'compact_20260112' },
];

describe('context_management in POST /messages', () => {
  test('stays here for a chat upstream, and the answer names no edit', async () => {
    const message = await messageIn(await askMessage(gateway, { context_management: { edits } }));
    expect(message.context_management).toEqual({ applied_edits: [] });
    expect(gateway.upstream.requests('chat').at(-1)!.fields).not.toHaveProperty('context_management');
  });

  test('appears in the last delta of a stream only', async () => {
    const asked = { context_management: { edits: [edits[0]] }, stream: true };
    const events = await readMessageEvents(await askMessage(gateway, asked));
    const withIt = events.filter((event) => 'context_management' in event);
    expect(withIt).toMatchObject([{ type: 'message_delta', context_management: { applied_edits: [] } }]);
  });

  test.each([[{}], [{ context_management: null }]])('stays out of the answer to %j', async (body) => {
    expect(await messageIn(await askMessage(gateway, body))).not.toHaveProperty('context_management');
    const events = await readMessageEvents(await askMessage(gateway, { ...body, stream: true }));
    expect(events.filter((event) => 'context_management' in event)).toEqual([]);
  });

  test('reaches an upstream of the same dialect unchanged', async () => {
    const asked = { model: NATIVE, context_management: { edits, other: 1 } };
    await messageIn(await askMessage(gateway, asked));
    const sent = gateway.upstream.requests('messages').at(-1)!.fields!;
    expect(sent['context_management']).toEqual(asked.context_management);
  });

  test.each<[object, string]>([
    [{ edits: [edits[0], { type: 'rewrite_20270101' }] }, 'body.context_management.edits.1.type'],
    [{ edits, model_memory: { size: 5 } }, 'body.context_management.model_memory'],
    [{ edits: [{ keep: 'all' }] }, 'body.context_management.edits.0.type'],
  ])('answers 400 to an unknown edit and names it: %j', async (context_management, path) => {
    const { error } = await messagesErrorOf(await askMessage(gateway, { context_management }));
    expect(error.metadata.issues!.map((issue) => issue.path)).toEqual([path]);
  });
});

describe('POST /messages/count_tokens', () => {
  const messages = [{ role: 'user', content: 'How high is the river today, and how high was it yesterday?' }];
  const count = (body: object, caller: Caller = createCaller(gateway.origin, gateway.apiKey)) =>
    caller.call('POST', '/messages/count_tokens', { body: { model: 'local/echo-1', messages, ...body } });
  const counted = async (body: object): Promise<number> => {
    const answer = (await (await count(body)).json()) as { input_tokens: number };
    return answer.input_tokens;
  };

  test('answers with an estimate, and the header sluice-token-count says so', async () => {
    const answer = await count({});
    expect(answer.status).toBe(200);
    expect(answer.headers.get('sluice-token-count')).toBe('estimated');
    expect(await answer.json()).toEqual({ input_tokens: 19 });
  });

  test("counts system, tools and the preset's prompt", async () => {
    const plain = await counted({});
    const tools = [{ name: 'weather', input_schema: { type: 'object' } }];
    expect(await counted({ system: 'Be brief.' })).toBeGreaterThan(plain);
    expect(await counted({ tools })).toBeGreaterThan(plain);
    const preset = {
      name: 'terse',
      body: { model: 'local/echo-1', messages, system: 'Answer in one word.' },
    };
    const manager = createCaller(gateway.origin, gateway.managementKey);
    const made = await manager.call('POST', `/presets/${preset.name}/messages`, { body: preset.body });
    await made.arrayBuffer();
    expect(await counted({ model: '@preset/terse' })).toBeGreaterThan(plain);
  });

  test('answers with the same count despite context_management', async () => {
    const answer = await count({ context_management: { edits } });
    expect(await answer.json()).toEqual({
      input_tokens: 19,
      context_management: { original_input_tokens: 19 },
    });
  });

  test('makes no upstream call and no row, and uses no budget or rate', async () => {
    const { token } = await addKey(gateway, { limitNanos: 0n, rateLimitRequests: 1 });
    const caller = createCaller(gateway.origin, token);
    const asked = gateway.upstream.requests().length;
    const rows = async () => {
      const { rows: found } = await gateway.database.query<{ n: number }>(
        'select count(*)::int as n from generations',
      );
      return found[0]!.n;
    };
    const before = await rows();
    for (let n = 0; n < 3; n += 1) {
      const answer = await count({}, caller);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-generation-id')).toBeNull();
      await answer.arrayBuffer();
    }
    expect(gateway.upstream.requests()).toHaveLength(asked);
    expect(await rows()).toBe(before);
  });

  test.each<[string, object, number, string]>([
    ['an unknown model', { model: 'no/such' }, 404, 'not_found_error'],
    ['no messages', { messages: [] }, 400, 'invalid_request_error'],
    ['a server tool', { tools: [{ type: 'web_search_20250305', name: 'w' }] }, 400, 'invalid_request_error'],
    ['another speed', { speed: 'fast' }, 400, 'invalid_request_error'],
  ])('refuses with the errors of POST /messages: %s', async (_what, body, status, type) => {
    const answer = await count(body);
    expect(answer.status).toBe(status);
    expect(await messagesErrorOf(answer)).toMatchObject({ type: 'error', error: { type } });
  });

  test("answers Anthropic's own client", async () => {
    const client = anthropicClient(gateway);
    const tokens = await client.messages.countTokens({
      model: 'local/echo-1',
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(tokens.input_tokens).toBeGreaterThan(0);
  });
});
