/** Checks what servers of OpenAI's wire receive, in every dialect, and that an endpoint's deviations change it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Deviation } from '../../domain/catalog/deviations.ts';
import { addChatModel, addImageModel } from '../support/catalog.ts';
import { askIn, DIALECTS } from '../support/dialect-answers.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { answerChat, sendJson, startVendorServer, type VendorServer } from '../support/vendor-server.ts';

let gateway: Gateway;
let vendor: VendorServer;

const add = (id: string, deviations?: Deviation[]): Promise<void> =>
  addChatModel(gateway, id, [
    {
      provider: 'bent',
      adapter: 'openai-compatible',
      baseUrl: vendor.baseUrl,
      upstreamModelId: id,
      ...(deviations && { deviations }),
    },
  ]);

beforeAll(async () => {
  vendor = await startVendorServer();
  gateway = await startGateway({ worker: false });
  await add('bent/plain');
  await add('bent/knows', ['developer_role', 'reasoning_object', 'no_thoughts', 'no_stream_options']);
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});
beforeEach(() => {
  vendor.answer = answerChat;
  vendor.calls.length = 0;
});

type Sent = Record<string, unknown> & { messages: Record<string, unknown>[] };

const sent = (): Sent => JSON.parse(vendor.calls.at(-1)!.body) as Sent;
const TURN = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Yes?', reasoning: 'why' },
  { role: 'user', content: 'Go on' },
];

describe('the role developer', () => {
  test.each<[string, 'chat' | 'responses', string]>([
    ['bent/plain', 'chat', 'system'],
    ['bent/plain', 'responses', 'system'],
    ['bent/knows', 'chat', 'developer'],
    ['bent/knows', 'responses', 'developer'],
  ])('reaches %s from %s as %s', async (model, dialect, role) => {
    const messages = [
      { role: 'developer', content: 'Be brief' },
      { role: 'user', content: 'Hi' },
    ];
    const more = dialect === 'chat' ? { messages } : { input: messages };
    expect(await askIn(gateway, dialect, model, { more })).toMatchObject({ status: 200 });
    expect(sent().messages[0]).toMatchObject({ role, content: 'Be brief' });
  });
});

describe('thoughts of earlier turns', () => {
  const thinking = { type: 'thinking', thinking: 'why', signature: '' };
  const asked = {
    chat: { messages: TURN },
    messages: {
      messages: [
        TURN[0],
        { role: 'assistant', content: [thinking, { type: 'text', text: 'Yes?' }] },
        TURN[2],
      ],
    },
    responses: {
      input: [
        TURN[0],
        { type: 'reasoning', id: 'rs_1', summary: [], content: [{ type: 'reasoning_text', text: 'why' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes?' }] },
        TURN[2],
      ],
    },
  };

  test.each(Object.keys(DIALECTS) as (keyof typeof DIALECTS)[])(
    'go back under both names from %s',
    async (dialect) => {
      await askIn(gateway, dialect, 'bent/plain', { more: asked[dialect] });
      const thought = sent().messages.find(({ role }) => role === 'assistant');
      expect(thought).toMatchObject({ reasoning: 'why', reasoning_content: 'why' });
    },
  );

  test('stay away from a server that refuses them', async () => {
    await askIn(gateway, 'chat', 'bent/knows', { more: asked.chat });
    const thought = sent().messages.find(({ role }) => role === 'assistant')!;
    expect(Object.keys(thought)).toEqual(['role', 'content']);
  });
});

describe('the effort of reasoning', () => {
  test('reaches a server as reasoning_effort', async () => {
    await askIn(gateway, 'chat', 'bent/plain', { more: { reasoning: { effort: 'high' } } });
    expect([sent()['reasoning_effort'], sent()['reasoning']]).toEqual(['high', undefined]);
  });

  test('stays in the object for a server that takes it', async () => {
    await askIn(gateway, 'chat', 'bent/knows', { more: { reasoning: { effort: 'high' } } });
    expect([sent()['reasoning_effort'], sent()['reasoning']]).toEqual([undefined, { effort: 'high' }]);
  });
});

describe('a server that refuses stream_options', () => {
  const detail = [
    { type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' },
  ];

  test.each<[string, number, object]>([
    ['bent/first', 422, { detail }],
    ['bent/second', 400, { error: { message: 'Unrecognized request argument supplied: stream_options' } }],
  ])('is asked again without them, and never again with them: %s', async (model, status, refusal) => {
    await add(model);
    vendor.answer = (call, response) =>
      call.body.includes('stream_options') ? sendJson(response, status, refusal) : answerChat(call, response);
    for (const asked of [2, 1]) {
      vendor.calls.length = 0;
      expect(await askIn(gateway, 'chat', model, { stream: true })).toMatchObject({
        status: 200,
        text: 'Hello',
      });
      expect(vendor.calls).toHaveLength(asked);
    }
  });

  test('is never asked with them when its endpoint says so', async () => {
    await askIn(gateway, 'chat', 'bent/knows', { stream: true });
    expect(sent()).not.toHaveProperty('stream_options');
  });

  test('has an estimated usage, which says so', async () => {
    vendor.answer = (call, response) => {
      const events = [
        '{"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}',
        '[DONE]',
      ];
      if (!call.body.includes('"stream":true')) return answerChat(call, response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(events.map((data) => `data: ${data}\n\n`).join(''));
    };
    const body = { ...DIALECTS.chat.body, model: 'bent/knows', stream: true };
    const text = await (await gateway.call('POST', '/chat/completions', { body })).text();
    expect(text).toContain('"is_estimated":true');
  });

  test('that fails for another reason is asked once', async () => {
    vendor.answer = (_, response) =>
      sendJson(response, 400, { error: { message: 'temperature is too high' } });
    vendor.calls.length = 0;
    expect((await askIn(gateway, 'chat', 'bent/plain', { stream: true })).status).toBe(400);
    expect(vendor.calls).toHaveLength(1);
  });
});

test('a server whose pictures are URLs by default is asked for base64 by its endpoint', async () => {
  vendor.answer = (_, response) => sendJson(response, 200, { created: 1, data: [{ b64_json: 'AAAA' }] });
  const endpoint = { provider: 'bent', adapter: 'openai-compatible', baseUrl: vendor.baseUrl };
  await addImageModel(gateway, 'bent/usual', [endpoint]);
  expect(sent()).not.toHaveProperty('response_format');
  await addImageModel(gateway, 'bent/urls', [{ ...endpoint, deviations: ['response_format_b64_json'] }]);
  expect(sent()).toMatchObject({ response_format: 'b64_json' });
});
