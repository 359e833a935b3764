/** Checks that each call of a vendor is billed by the length of its own prompt, where it counts them apart. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCaller } from '../support/caller.ts';
import { addChatModel, addImageModel } from '../support/catalog.ts';
import { generationIdOf } from '../support/chat.ts';
import { DIALECTS, type DialectName } from '../support/dialect-answers.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { getGeneration } from '../support/generation-reads.ts';
import { askImages, lastPicture, readImageEvents } from '../support/images.ts';
import { sendJson, startVendorServer, type VendorServer } from '../support/vendor-server.ts';

const EDGE = 6_000;

let gateway: Gateway;
let vendor: VendorServer;

beforeAll(async () => {
  vendor = await startVendorServer();
  gateway = await startGateway({ env: { PROVIDER_CLAUDE_API_KEY: 'secret' } });
  count({ input_tokens: 1, output_tokens: 1 });
  const pricing = {
    prompt: '0.000001',
    completion: '0.00001',
    request: '0.5',
    overrides: [{ minPromptTokens: EDGE, prompt: '0.00001', completion: '0.0001' }],
  };
  const endpoint = { provider: 'claude', adapter: 'anthropic', baseUrl: vendor.baseUrl, pricing };
  await addChatModel(gateway, 'called/chat', [{ ...endpoint, contextLength: 1_000_000 }]);
});

afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

/** The vendor counts like this from now on, in Anthropic's dialect. */
function count(usage: object): void {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude' };
  const content = [{ type: 'text', text: 'Yes' }];
  const events = [
    {
      type: 'message_start',
      message: { ...message, content: [], usage: { input_tokens: 1, output_tokens: 1 } },
    },
    { type: 'content_block_start', index: 0, content_block: content[0] },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ];
  vendor.answer = ({ body }, response) => {
    if (!body.includes('"stream":true'))
      return sendJson(response, 200, { ...message, content, stop_reason: 'end_turn', usage });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
  };
}

const sampled = (type: string, input: number, output: number) => ({
  type,
  input_tokens: input,
  output_tokens: output,
});

describe.each(Object.keys(DIALECTS) as DialectName[])(
  'the calls of a vendor in the dialect %s',
  (dialect) => {
    test.each<[string, number, number, object[] | undefined, number]>([
      // 8,000 × 0.00001 + 200 × 0.0001
      ['one long call', 8_000, 200, undefined, 0.1],
      // 8,000 × 0.000001 + 200 × 0.00001
      ['two short calls', 8_000, 200, [sampled('message', 4_000, 120), sampled('message', 4_000, 80)], 0.01],
      // 7,000 × 0.00001 + 150 × 0.0001 + 1,000 × 0.000001 + 50 × 0.00001
      [
        'a long and a short call',
        8_000,
        200,
        [sampled('message', 7_000, 150), sampled('message', 1_000, 50)],
        0.0865,
      ],
      // 7,000 × 0.000001 + 400 × 0.00001
      [
        'a short compaction',
        2_000,
        100,
        [sampled('compaction', 5_000, 300), sampled('message', 2_000, 100)],
        0.011,
      ],
      // 7,000 × 0.00001 + 300 × 0.0001 + 2,000 × 0.000001 + 100 × 0.00001
      ['a long compaction', 2_000, 100, [sampled('compaction', 7_000, 300)], 0.103],
      // 8,000 × 0.00001 + 200 × 0.0001
      [
        'counts that do not add up',
        8_000,
        200,
        [sampled('message', 4_000, 200), sampled('message', 9, 0)],
        0.1,
      ],
    ])('cost what each of them costs: %s', async (_what, input, output, iterations, cost) => {
      count({ input_tokens: input, output_tokens: output, ...(iterations && { iterations }) });
      for (const stream of [false, true]) {
        const { path, body } = DIALECTS[dialect];
        const answer = await gateway.call('POST', path, { body: { ...body, model: 'called/chat', stream } });
        const text = await answer.text();
        // The price of a request is charged once.
        const total = Number((0.5 + cost).toFixed(9));
        expect(text).toContain(`"cost":${total}`);
        const generation = await getGeneration(
          createCaller(gateway.origin, gateway.apiKey),
          generationIdOf(answer),
        );
        expect(generation['total_cost']).toBe(total);
      }
    });
  },
);

test('streamed pictures that are counted one by one are billed by their own prompts', async () => {
  const completed = { type: 'image_generation.completed', b64_json: 'AAAA' };
  const usage = { input_tokens: 1_000, output_tokens: 100 };
  vendor.answer = ({ body }, response) => {
    if (!body.includes('"stream":true')) return sendJson(response, 200, { data: [completed], usage });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify({ ...completed, usage })}\n\n`.repeat(2));
  };
  const overrides = [{ minPromptTokens: 1_500, prompt: '0.1', completion: '0.1' }];
  const pricing = { prompt: '0.00001', completion: '0.0001', overrides };
  const endpoint = { provider: 'painter', adapter: 'openai-compatible', baseUrl: vendor.baseUrl };
  await addImageModel(gateway, 'called/images', [{ ...endpoint, pricing }]);
  const answer = await askImages(gateway, { model: 'called/images', stream: true, n: 2 });
  const { usage: shown } = lastPicture(await readImageEvents(answer));
  // 2 × (1,000 × 0.00001 + 100 × 0.0001)
  expect(shown).toMatchObject({ prompt_tokens: 2_000, completion_tokens: 200, cost: 0.04 });
});
