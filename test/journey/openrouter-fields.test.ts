import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCaller, errorOf } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { makePreset, newSlug } from '../support/presets.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

/** Fields that clients made for OpenRouter send, and that vendors refuse. */
const FIELDS: [name: string, value: unknown][] = [
  ['usage', { include: true }],
  ['include_reasoning', true],
  ['include_reasoning', false],
  ['transforms', ['middle-out']],
];
const MESSAGES = [{ role: 'user', content: 'Hello there' }];
const TEXT: [path: string, prompt: object][] = [
  ['/chat/completions', { messages: MESSAGES }],
  ['/messages', { messages: MESSAGES, max_tokens: 100 }],
  ['/responses', { input: 'Hello there' }],
];

const ask = (path: string, body: object) => gateway.call('POST', path, { body });
const sent = (operation: 'chat' | 'embeddings' | 'rerank') =>
  gateway.upstream.requests(operation).at(-1)!.fields;

describe.each(TEXT)('POST %s', (path, prompt) => {
  test.each(FIELDS)('accepts %s %j without sending it upstream', async (name, value) => {
    const response = await ask(path, { model: 'local/echo-1', ...prompt, [name]: value });
    expect(response.status).toBe(200);
    expect(await response.json()).toHaveProperty('usage.cost');
    expect(sent('chat')).not.toHaveProperty(name);
  });

  test.each(FIELDS)('accepts %s %j with require_parameters', async (name, value) => {
    const provider = { require_parameters: true };
    const response = await ask(path, { model: 'local/echo-1', ...prompt, provider, [name]: value });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  });

  test.each([
    ['usage', true],
    ['include_reasoning', 'no'],
    ['transforms', 'middle-out'],
  ])('answers 400 to %s %j', async (name, value) => {
    const response = await ask(path, { model: 'local/echo-1', ...prompt, [name]: value });
    expect(response.status).toBe(400);
    const { metadata } = await errorOf(response);
    expect(metadata.issues).toMatchObject([{ path: `body.${name}` }]);
  });
});

test('a preset keeps include_reasoning and transforms, and its chats exclude reasoning', async () => {
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const kept = { model: 'local/echo-1', include_reasoning: false, transforms: ['middle-out'] };
  const made = await makePreset(manager, newSlug(), { ...kept, usage: { include: true } });
  expect(made.designated_version.config).toEqual(kept);
  expect((await ask('/chat/completions', { preset: made.slug, messages: MESSAGES })).status).toBe(200);
  expect(sent('chat')).toMatchObject({ model: 'echo-1', reasoning: { exclude: true } });
  for (const [name] of FIELDS) expect(sent('chat')).not.toHaveProperty(name);
});

describe.each([
  ['embeddings', '/embeddings', { model: 'local/embed-1', input: 'A river' }],
  ['rerank', '/rerank', { model: 'local/rerank-1', query: 'river', documents: ['A river'] }],
] as const)('POST /%s', (operation, path, body) => {
  test('accepts usage without sending it upstream', async () => {
    expect((await ask(path, { ...body, usage: { include: true } })).status).toBe(200);
    expect(sent(operation)).not.toHaveProperty('usage');
  });

  test.each([
    ['include_reasoning', true],
    ['transforms', ['middle-out']],
    ['tools', []],
  ])('answers 400 to %s, which has no effect there', async (name, value) => {
    const error = await errorOf(await ask(path, { ...body, [name]: value }));
    const issues = [{ path: `body.${name}`, message: 'is not supported by this operation' }];
    expect(error).toMatchObject({ code: 400, metadata: { issues } });
  });
});
