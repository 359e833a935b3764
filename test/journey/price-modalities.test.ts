import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type BentVendor, piece, startBentVendor, whole } from '../support/bent-vendor.ts';
import { createCaller } from '../support/caller.ts';
import { addChatModel } from '../support/catalog.ts';
import { askChat, completed, readEvents } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { getGeneration } from '../support/generation-reads.ts';
import { askResponse, readResponseEvents, responded } from '../support/responses.ts';

const MODEL = 'made/chat';
const USAGE = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 };
const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const SOUND = { id: 'audio_1', data: 'AAAA', expires_at: 1_790_000_000, transcript: '' };

let gateway: Gateway;
let vendor: BentVendor;

beforeAll(async () => {
  vendor = await startBentVendor();
  gateway = await startGateway();
  make({});
  const overrides = [
    { outputModality: 'image' as const, completion: '0.00003' },
    { outputModality: 'audio' as const, completion: '0.00005' },
  ];
  const pricing = { prompt: '0.000001', completion: '0.00001', overrides };
  const endpoint = { provider: 'made', adapter: 'openai-compatible', baseUrl: vendor.baseUrl };
  const outputModalities = ['text', 'image', 'audio'];
  await addChatModel(gateway, MODEL, [{ ...endpoint, pricing }], { outputModalities });
});

afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

/** The vendor answers with this beside a text from now on. */
function make(medium: object): void {
  const choice = whole({ content: 'Yes', ...medium }, 'stop');
  vendor.bend({
    choice,
    events: [piece({ content: 'Yes' }), piece(medium), piece({}, 'stop')],
    usage: USAGE,
  });
}

const generation = (id: string) => getGeneration(createCaller(gateway.origin, gateway.apiKey), id);

describe('an answer of an endpoint with prices by what it contains', () => {
  test.each<[string, object, number]>([
    ['text', {}, 0.002],
    ['an empty list of pictures', { images: [] }, 0.002],
    ['a picture', { images: [IMAGE] }, 0.004],
    ['sound', { audio: SOUND }, 0.006],
  ])('costs the same whole and streamed: %s', async (_what, medium, cost) => {
    make(medium);
    const { id, usage } = await completed(await askChat(gateway, { model: MODEL }));
    expect(usage).toMatchObject({ cost });
    const chunks = await readEvents(await askChat(gateway, { model: MODEL, stream: true }));
    expect(chunks.at(-1)!.usage).toMatchObject({ cost });
    for (const one of [id, chunks[0]!.id]) expect(await generation(one)).toMatchObject({ total_cost: cost });
  });

  test('costs the same as a response, whole and streamed', async () => {
    make({ images: [IMAGE] });
    const response = await responded(await askResponse(gateway, { model: MODEL }));
    expect(response.usage).toMatchObject({ cost: 0.004 });
    const events = await readResponseEvents(await askResponse(gateway, { model: MODEL, stream: true }));
    expect(events.at(-1)).toMatchObject({ response: { usage: { cost: 0.004 } } });
  });
});
