/** Checks that thoughts of another provider do not keep a conversation from a vendor that cannot take them. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addChatModel } from '../support/catalog.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { sendJson, startVendorServer, type VendorServer } from '../support/vendor-server.ts';

let gateway: Gateway;
let vendor: VendorServer;
let sent: Record<string, unknown> = {};

const MODELS = { openai: 'thoughts/openai', anthropic: 'thoughts/anthropic', server: 'thoughts/server' };
const ANSWERS = {
  chat: { id: 'c1', choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] },
  messages: {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  responses: {
    id: 'r1',
    status: 'completed',
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] }],
    usage: { input_tokens: 1, output_tokens: 1 },
  },
};

beforeAll(async () => {
  vendor = await startVendorServer(({ path, body }, response) => {
    sent = JSON.parse(body) as typeof sent;
    const dialect = path.endsWith('/messages')
      ? 'messages'
      : path.endsWith('/responses')
        ? 'responses'
        : 'chat';
    sendJson(response, 200, ANSWERS[dialect]);
  });
  gateway = await startGateway({
    env: { PROVIDER_GPT_API_KEY: 'sk-gpt', PROVIDER_CLAUDE_API_KEY: 'sk-claude' },
  });
  const { baseUrl } = vendor;
  await addChatModel(gateway, MODELS.openai, [{ provider: 'gpt', adapter: 'openai', baseUrl }]);
  await addChatModel(gateway, MODELS.anthropic, [{ provider: 'claude', adapter: 'anthropic', baseUrl }]);
  await addChatModel(gateway, MODELS.server, [{ provider: 'own', adapter: 'openai-compatible', baseUrl }]);
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

const SIGNED = { type: 'reasoning.text', text: 'Hm', signature: 's', format: 'anthropic-claude-v1' };
const UNSIGNED = { type: 'reasoning.text', text: 'Hm' };
const FOREIGN = { type: 'reasoning.encrypted', data: 'x', format: 'openai-responses-v1' };
const chat = (thoughts: object) => ({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Yes', ...thoughts },
    { role: 'user', content: 'And?' },
  ],
});
const messages = (...blocks: object[]) => ({
  max_tokens: 10,
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [...blocks, { type: 'text', text: 'Yes' }] },
    { role: 'user', content: 'And?' },
  ],
});
const responses = (...items: object[]) => ({
  input: [{ role: 'user', content: 'Hi' }, ...items, { role: 'user', content: 'And?' }],
});

const ask = async (path: string, body: object, provider = {}) => {
  const answer = await gateway.call('POST', path, { body: { ...body, provider } });
  await answer.text();
  return { status: answer.status, dropped: answer.headers.get('sluice-dropped-fields') };
};

test.each<[string, string, object, string]>([
  ['openai', '/chat/completions', chat({ reasoning: 'Hm' }), 'messages.reasoning'],
  ['openai', '/chat/completions', chat({ reasoning_content: 'Hm' }), 'messages.reasoning_content'],
  ['openai', '/chat/completions', chat({ reasoning_details: [SIGNED] }), 'messages.reasoning_details'],
  [
    'openai',
    '/messages',
    messages({ type: 'thinking', thinking: 'Hm', signature: '' }),
    'messages.reasoning',
  ],
  ['anthropic', '/chat/completions', chat({ reasoning: 'Hm' }), 'messages.reasoning'],
  ['anthropic', '/chat/completions', chat({ reasoning_content: 'Hm' }), 'messages.reasoning_content'],
  [
    'anthropic',
    '/chat/completions',
    chat({ reasoning_details: [UNSIGNED, FOREIGN] }),
    'messages.reasoning_details',
  ],
  ['anthropic', '/messages', messages({ type: 'thinking', thinking: 'Hm' }), 'messages.thinking'],
  [
    'anthropic',
    '/messages',
    messages({ type: 'thinking', thinking: 'Hm', signature: '' }),
    'messages.thinking',
  ],
  [
    'anthropic',
    '/messages',
    messages({ type: 'redacted_thinking', data: 'sluice-thought:e30' }),
    'messages.thinking',
  ],
  [
    'anthropic',
    '/responses',
    responses({ type: 'reasoning', id: 'r', summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }] }),
    'messages.reasoning',
  ],
])(
  'the vendor %s, behind %s, gets no foreign thoughts, and the header names them',
  async (vendorName, path, body, dropped) => {
    const model = MODELS[vendorName as keyof typeof MODELS];
    const seen = await ask(path, { model, ...body });
    expect(seen).toEqual({ status: 200, dropped });
    expect(JSON.stringify(sent)).not.toMatch(/Hm|reasoning|thinking/);
  },
);

test('signed thoughts return to Anthropic, without those of other providers', async () => {
  const model = MODELS.anthropic;
  await ask('/chat/completions', {
    model,
    ...chat({ reasoning: 'Hm', reasoning_details: [UNSIGNED, SIGNED] }),
  });
  const signed = { type: 'thinking', thinking: 'Hm', signature: 's' };
  const assistant = { role: 'assistant', content: [signed, { type: 'text', text: 'Yes' }] };
  expect((sent['messages'] as unknown[])[1]).toEqual(assistant);
  const unsigned = { type: 'thinking', thinking: 'Hm', signature: '' };
  expect(await ask('/messages', { model, ...messages(unsigned, signed) })).toMatchObject({ status: 200 });
  expect((sent['messages'] as unknown[])[1]).toEqual(assistant);
});

test('thoughts return to servers of the operator', async () => {
  expect(await ask('/chat/completions', { model: MODELS.server, ...chat({ reasoning: 'Hm' }) })).toEqual({
    status: 200,
    dropped: null,
  });
  expect((sent['messages'] as unknown[])[1]).toMatchObject({ reasoning: 'Hm', reasoning_content: 'Hm' });
});

test('thoughts are never left out when the caller requires every parameter', async () => {
  const strict = { require_parameters: true };
  const body = { model: MODELS.anthropic, ...chat({ reasoning: 'Hm' }) };
  expect(await ask('/chat/completions', body, strict)).toEqual({ status: 400, dropped: null });
  await ask(
    '/messages',
    { model: MODELS.anthropic, ...messages({ type: 'thinking', thinking: 'Hm' }) },
    strict,
  );
  expect(JSON.stringify(sent)).toContain('"thinking":"Hm"');
});
