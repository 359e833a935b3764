/** Checks what servers of OpenAI's wire receive, in every dialect, and that an endpoint's deviations change it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Deviation } from '../../domain/catalog/deviations.ts';
import { addChatModel, addImageModel } from '../support/catalog.ts';
import { askIn, DIALECTS, type DialectName } from '../support/dialect-answers.ts';
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
  gateway = await startGateway();
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

const DIALECT_NAMES = Object.keys(DIALECTS) as DialectName[];
const EVERY_WAY = DIALECT_NAMES.flatMap((dialect) =>
  [false, true].map((stream) => [dialect, stream ? 'a stream' : 'a whole answer', stream] as const),
);

describe('the role developer', () => {
  // Messages have no such role.
  test.each(
    EVERY_WAY.filter(([dialect]) => dialect !== 'messages').flatMap(([dialect, how, stream]) => [
      ['bent/plain', dialect, how, 'system', stream] as const,
      ['bent/knows', dialect, how, 'developer', stream] as const,
    ]),
  )('reaches %s from %s for %s as %s', async (model, dialect, _, role, stream) => {
    const messages = [
      { role: 'developer', content: 'Be brief' },
      { role: 'user', content: 'Hi' },
    ];
    const more = dialect === 'chat' ? { messages } : { input: messages };
    expect(await askIn(gateway, dialect, model, { stream, more })).toMatchObject({ status: 200 });
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

  test.each(EVERY_WAY)('reach the vendor under both names from %s for %s', async (dialect, _, stream) => {
    await askIn(gateway, dialect, 'bent/plain', { stream, more: asked[dialect] });
    const thought = sent().messages.find(({ role }) => role === 'assistant');
    expect(thought).toMatchObject({ reasoning: 'why', reasoning_content: 'why' });
  });

  test.each(EVERY_WAY)(
    'stay out of a request from %s for %s if the vendor refuses them',
    async (dialect, _, stream) => {
      await askIn(gateway, dialect, 'bent/knows', { stream, more: asked[dialect] });
      const thought = sent().messages.find(({ role }) => role === 'assistant')!;
      expect(Object.keys(thought)).toEqual(['role', 'content']);
    },
  );
});

describe('the reasoning effort', () => {
  const asked = {
    chat: { reasoning: { effort: 'high' } },
    messages: { output_config: { effort: 'high' } },
    responses: { reasoning: { effort: 'high' } },
  };

  test.each(EVERY_WAY)('reaches a vendor from %s for %s as reasoning_effort', async (dialect, _, stream) => {
    await askIn(gateway, dialect, 'bent/plain', { stream, more: asked[dialect] });
    expect([sent()['reasoning_effort'], sent()['reasoning']]).toEqual(['high', undefined]);
  });

  test.each(EVERY_WAY)(
    'stays in the object from %s for %s if the vendor takes it',
    async (dialect, _, stream) => {
      await askIn(gateway, dialect, 'bent/knows', { stream, more: asked[dialect] });
      expect([sent()['reasoning_effort'], sent()['reasoning']]).toEqual([undefined, { effort: 'high' }]);
    },
  );
});

describe.each(DIALECT_NAMES)('a vendor that refuses stream_options, from %s', (dialect) => {
  const detail = [
    { type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' },
  ];

  test.each<[string, number, object]>([
    ['first', 422, { detail }],
    ['second', 400, { error: { message: 'Unrecognized request argument supplied: stream_options' } }],
  ])('gets one retry without them, and never gets them again: %s', async (name, status, refusal) => {
    const model = `bent/${name}-${dialect}`;
    await add(model);
    vendor.answer = (call, response) =>
      call.body.includes('stream_options') ? sendJson(response, status, refusal) : answerChat(call, response);
    for (const asked of [2, 1]) {
      vendor.calls.length = 0;
      expect(await askIn(gateway, dialect, model, { stream: true })).toMatchObject({
        status: 200,
        text: 'Hello',
      });
      expect(vendor.calls).toHaveLength(asked);
    }
  });

  test('never gets them when its endpoint has no_stream_options', async () => {
    for (const stream of [false, true]) {
      await askIn(gateway, dialect, 'bent/knows', { stream });
      expect(sent()).not.toHaveProperty('stream_options');
    }
  });

  test('gets an estimated usage with is_estimated: true', async () => {
    vendor.answer = (call, response) => {
      const events = [
        '{"choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]}',
        '[DONE]',
      ];
      if (!call.body.includes('"stream":true')) return answerChat(call, response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(events.map((data) => `data: ${data}\n\n`).join(''));
    };
    const { path, body } = DIALECTS[dialect];
    const answer = await gateway.call('POST', path, { body: { ...body, model: 'bent/knows', stream: true } });
    expect(await answer.text()).toContain('"is_estimated":true');
  });

  test('gets no retry for an error of another kind', async () => {
    vendor.answer = (_, response) =>
      sendJson(response, 400, { error: { message: 'temperature is too high' } });
    vendor.calls.length = 0;
    expect((await askIn(gateway, dialect, 'bent/plain', { stream: true })).status).toBe(400);
    expect(vendor.calls).toHaveLength(1);
  });
});

test('an endpoint with response_format_b64_json sends response_format to a vendor of image URLs', async () => {
  vendor.answer = (_, response) => sendJson(response, 200, { created: 1, data: [{ b64_json: 'AAAA' }] });
  const endpoint = { provider: 'bent', adapter: 'openai-compatible', baseUrl: vendor.baseUrl };
  await addImageModel(gateway, 'bent/usual', [endpoint]);
  expect(sent()).not.toHaveProperty('response_format');
  await addImageModel(gateway, 'bent/urls', [{ ...endpoint, deviations: ['response_format_b64_json'] }]);
  expect(sent()).toMatchObject({ response_format: 'b64_json' });
});
