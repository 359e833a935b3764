import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { addChatModel } from '../support/catalog.ts';
import { createCaller } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { answerChat, startVendorServer, type VendorServer } from '../support/vendor-server.ts';

let gateway: Gateway;
let vendor: VendorServer;

beforeAll(async () => {
  vendor = await startVendorServer();
  vendor.answer = answerChat;
  gateway = await startGateway({
    env: { PROVIDER_STRICT_API_KEY: 'vendor-key', PROVIDER_LENIENT_API_KEY: 'vendor-key' },
  });
  const endpoint = { adapter: 'openai', baseUrl: vendor.baseUrl };
  await addChatModel(gateway, 'strict/model', [
    { ...endpoint, provider: 'strict', deviations: ['no_reasoned_tools'] },
  ]);
  await addChatModel(gateway, 'lenient/model', [{ ...endpoint, provider: 'lenient' }]);
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});
beforeEach(() => {
  vendor.calls.length = 0;
});

const SCHEMA = { type: 'object', properties: {} };
const MESSAGES = [{ role: 'user', content: 'Hi' }];
const CHAT_TOOLS = [{ type: 'function', function: { name: 'weather', parameters: SCHEMA } }];
const TOOLS = [{ name: 'weather', input_schema: SCHEMA }];

async function ask(path: string, body: object): Promise<{ status: number; text: string }> {
  const response = await createCaller(gateway.origin, gateway.apiKey).call('POST', path, { body });
  return { status: response.status, text: await response.text() };
}

test.each([
  ['/chat/completions', { messages: MESSAGES, tools: CHAT_TOOLS }, false],
  ['/chat/completions', { messages: MESSAGES, tools: CHAT_TOOLS }, true],
  ['/messages', { messages: MESSAGES, tools: TOOLS, max_tokens: 50 }, false],
])('%s refuses tools that the vendor takes only in responses: %j', async (path, body, stream) => {
  const { status, text } = await ask(path, { model: 'strict/model', stream, ...body });
  expect([status, vendor.calls]).toEqual([400, []]);
  expect(text).toMatch(/body\.tools.*cannot be combined with reasoning.*POST \/responses/);
});

test('the next model is asked if the caller names one', async () => {
  const body = { models: ['strict/model', 'lenient/model'], messages: MESSAGES, tools: CHAT_TOOLS };
  expect((await ask('/chat/completions', body)).status).toBe(200);
  expect(vendor.calls).toHaveLength(1);
});

test('tools without reasoning reach the vendor', async () => {
  const body = { model: 'strict/model', messages: MESSAGES, tools: CHAT_TOOLS, reasoning_effort: 'none' };
  expect((await ask('/chat/completions', body)).status).toBe(200);
  expect(vendor.calls).toHaveLength(1);
});

test('tools in responses reach the vendor with their reasoning', async () => {
  const tools = [{ type: 'function', name: 'weather', parameters: SCHEMA, strict: false }];
  await ask('/responses', { model: 'strict/model', input: 'Hi', tools, reasoning: { effort: 'high' } });
  expect(vendor.calls.map(({ path }) => path)).toEqual([expect.stringMatching(/\/responses$/)]);
});
