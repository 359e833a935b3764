import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCaller } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { type NativeGateway, startNativeGateway } from '../support/native-gateway.ts';

let gateway: NativeGateway['gateway'];
let openai: NativeGateway['upstream'];
let close: NativeGateway['close'];

beforeAll(async () => {
  const slugs = ['claude', ...STRICT.map(([, , slug]) => slug)];
  const keys = slugs.map((slug) => [`PROVIDER_${slug.toUpperCase()}_API_KEY`, 'upstream-key'] as const);
  const models = { 'test/openai': ['openai'] };
  ({ gateway, upstream: openai, close } = await startNativeGateway(models, Object.fromEntries(keys)));
  await addChatModel(gateway, 'test/claude', [{ provider: 'claude', adapter: 'anthropic' }]);
});

afterAll(() => close());

const messages = [{ role: 'user', content: 'Hi' }];
const DIALECTS = {
  chat: ['/chat/completions', { messages }],
  completions: ['/completions', { prompt: 'Hi' }],
  messages: ['/messages', { messages, max_tokens: 100 }],
  responses: ['/responses', { input: 'Hi' }],
} as const;
type Dialect = keyof typeof DIALECTS;

/** A provider for each way to ask, because what one refuses is remembered. */
const STRICT = (['chat', 'completions', 'messages', 'responses'] as const).flatMap((dialect) => [
  [dialect, {}, `${dialect}whole`] as const,
  [dialect, { stream: true }, `${dialect}streamed`] as const,
]);

async function ask(dialect: Dialect, body: object) {
  const [path, usual] = DIALECTS[dialect];
  const caller = createCaller(gateway.origin, gateway.apiKey);
  const response = await caller.call('POST', path, { body: { ...usual, ...body } });
  const dropped = response.headers.get('sluice-dropped-fields');
  return { status: response.status, dropped, text: await response.text() };
}

const sentTo = (target: 'chat' | 'messages') => gateway.upstream.requests(target).at(-1)!.fields!;

const HINTS = {
  metadata: { a: 'b' },
  prompt_cache_key: 'session',
  prompt_cache_options: { mode: 'auto' },
  prompt_cache_retention: '24h',
  safety_identifier: 'user',
  seed: 7,
  prediction: { type: 'content', content: 'Hi' },
};
const EITHER_WAY = [
  ['whole', {}],
  ['streamed', { stream: true }],
] as const;

describe.each(EITHER_WAY)('the hints of a request for a %s answer', (_how, more) => {
  test.each<Dialect>(['chat', 'completions', 'responses'])(
    'never reach Anthropic from %s, and the response header names them',
    async (dialect) => {
      const { status, dropped, text } = await ask(dialect, { model: 'test/claude', ...HINTS, ...more });
      expect([status, text]).toEqual([200, expect.any(String)]);
      expect(dropped?.split(', ').toSorted()).toEqual(Object.keys(HINTS).toSorted());
      for (const name of Object.keys(HINTS)) expect(sentTo('messages')).not.toHaveProperty(name);
    },
  );

  test('never reach Anthropic from messages if its dialect lacks them', async () => {
    const { metadata: _, ...hints } = HINTS;
    const { status, dropped } = await ask('messages', { model: 'test/claude', ...hints, ...more });
    expect(status).toBe(200);
    expect(dropped?.split(', ').toSorted()).toEqual(Object.keys(hints).toSorted());
    for (const name of Object.keys(hints)) expect(sentTo('messages')).not.toHaveProperty(name);
  });

  test('never reach a Responses endpoint if its dialect lacks them', async () => {
    const { seed, prediction, ...known } = HINTS;
    const { dropped } = await ask('responses', { model: 'test/openai', seed, prediction, ...known, ...more });
    expect(dropped).toBe('seed, prediction');
    expect(openai.asked.at(-1)).toMatchObject(known);
    for (const name of ['seed', 'prediction']) expect(openai.asked.at(-1)).not.toHaveProperty(name);
  });

  test.each<Dialect>(['chat', 'completions', 'messages', 'responses'])(
    'reach a chat endpoint from %s, and no header names them',
    async (dialect) => {
      const { status, dropped } = await ask(dialect, { model: 'local/echo-1', ...HINTS, ...more });
      expect([status, dropped]).toEqual([200, null]);
      expect(sentTo('chat')).toMatchObject(HINTS);
    },
  );

  test.each<[Dialect, object, string]>([
    ['chat', { prompt_cache_key: 'session' }, 'body.prompt_cache_key'],
    ['completions', { seed: 7 }, 'body.seed'],
    ['responses', { safety_identifier: 'user' }, 'body.safety_identifier'],
    ['chat', { metadata: { a: 'b' } }, 'body.metadata'],
  ])('cause a 400 from %s if require_parameters is set: %j', async (dialect, hint, path) => {
    const provider = { require_parameters: true };
    const { status, text } = await ask(dialect, { model: 'test/claude', provider, ...hint, ...more });
    expect([status, text]).toEqual([400, expect.stringContaining(path)]);
  });
});

test.each(STRICT)(
  'a hint of %s %j that an endpoint refuses is dropped then, and omitted later',
  async (dialect, more, slug) => {
    const model = `test/${slug}`;
    await addChatModel(gateway, model, [{ provider: slug, adapter: 'openai-compatible' }]);
    const message = "property 'safety_identifier' is unsupported";
    gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 400, message });
    for (const sends of [2, 1]) {
      const before = gateway.upstream.requests('chat').length;
      const { status, dropped } = await ask(dialect, { model, ...HINTS, ...more });
      expect([status, dropped]).toEqual([200, 'safety_identifier']);
      expect(gateway.upstream.requests('chat')).toHaveLength(before + sends);
      const { safety_identifier: _, ...others } = HINTS;
      expect(sentTo('chat')).toMatchObject(others);
      expect(sentTo('chat')).not.toHaveProperty('safety_identifier');
    }
  },
);

test('a field that changes the answer gets a 400 instead of being dropped', async () => {
  const { status, text } = await ask('chat', { model: 'test/claude', seed: 7, logit_bias: { 5: 1 } });
  expect([status, text]).toEqual([400, expect.stringContaining('body.logit_bias')]);
  expect(text).not.toContain('body.seed');
});

test('a hint without content is dropped without a header', async () => {
  const { status, dropped } = await ask('chat', {
    model: 'test/claude',
    metadata: {},
    prompt_cache_key: null,
  });
  expect([status, dropped]).toEqual([200, null]);
});

test('a refused value is quoted to the caller, and its hint remains in use', async () => {
  const message = 'metadata.a: must have at most 512 characters';
  gateway.upstream.addFaults({ kind: 'status', on: 'chat', status: 400, message });
  const refused = await ask('chat', { model: 'local/echo-1', metadata: HINTS.metadata });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(message)]);
  await ask('chat', { model: 'local/echo-1', metadata: HINTS.metadata });
  expect(sentTo('chat')).toMatchObject({ metadata: HINTS.metadata });
});
