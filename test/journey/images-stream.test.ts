import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { nanosToUsd } from '../../domain/money.ts';
import { errorOf } from '../support/caller.ts';
import { addImageModel } from '../support/catalog.ts';
import { generationIdOf, ledgerRow } from '../support/chat.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { askImages, describePicture, lastPicture, madeImages, readImageEvents } from '../support/images.ts';
import { type LoopbackServer, startLoopbackServer } from '../platform/loopback-server.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

describe('a stream of images', () => {
  test('sends drafts, then the image with the total cost, which the ledger has', async () => {
    const response = await askImages(gateway, { stream: true });
    const events = await readImageEvents(response);
    expect(
      events.map((event) => [event.type, 'partial_image_index' in event && event.partial_image_index]),
    ).toEqual([
      ['image_generation.partial_image', 0],
      ['image_generation.partial_image', 1],
      ['image_generation.completed', false],
    ]);
    const last = lastPicture(events);
    expect(describePicture(last.b64_json)).toEqual({ format: 'png', width: 128, height: 128 });
    expect(last).toMatchObject({ media_type: 'image/png', usage: { completion_tokens: 16, cost: 0.001003 } });
    const row = await ledgerRow(gateway, generationIdOf(response));
    expect(row).toMatchObject({ status: 'completed', streamed: true, finish_reason: 'stop' });
    expect(nanosToUsd(BigInt(row.cost_nanos))).toBe(last.usage!.cost);
  });

  test('sends the usage of all images with the last one', async () => {
    const events = await readImageEvents(await askImages(gateway, { stream: true, n: 3 }));
    const pictures = events.filter((event) => event.type === 'image_generation.completed');
    expect(pictures.map(({ usage }) => usage?.cost)).toEqual([undefined, undefined, 0.003003]);
    expect(pictures[2]!.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 48 });
    const places = events.flatMap((event) =>
      'image_index' in event
        ? [[event.image_index, 'partial_image_index' in event ? event.partial_image_index : 'whole']]
        : [],
    );
    // A picture is sent when the next one is finished: drafts of the next come before it.
    expect(places).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
      [0, 'whole'],
      [2, 0],
      [2, 1],
      [1, 'whole'],
      [2, 'whole'],
    ]);
  });

  test('ends with the same image as an unstreamed response', async () => {
    const [events, whole] = [
      await readImageEvents(await askImages(gateway, { stream: true, output_format: 'webp' })),
      await madeImages(await askImages(gateway, { output_format: 'webp' })),
    ];
    expect(lastPicture(events).b64_json).toBe(whole.data[0]!.b64_json);
  });

  test('has three events for the canned image', async () => {
    const events = await readImageEvents(
      await askImages(gateway, { model: 'local/image-canned', stream: true }),
    );
    expect(events).toHaveLength(3);
  });

  test('arrives whole when the upstream sends one byte at a time', async () => {
    gateway.upstream.addFaults({ kind: 'drip', on: 'images', unit: 'byte' });
    const events = await readImageEvents(await askImages(gateway, { stream: true }));
    expect(lastPicture(events).usage!.cost).toBe(0.001003);
  });
});

describe('a streamed request to a provider without streams', () => {
  test('gets plain JSON, and its row has streamed: false', async () => {
    const body = { model: 'local/image-vector-1', size: undefined, stream: true };
    const response = await askImages(gateway, body);
    expect((await madeImages(response)).data).toHaveLength(1);
    expect(await ledgerRow(gateway, generationIdOf(response))).toMatchObject({ streamed: false });
    expect(gateway.upstream.requests('images').at(-1)!.fields).not.toHaveProperty('stream');
  });
});

describe("another vendor's upstream of images", () => {
  let upstream: LoopbackServer;
  /** An object is answered as JSON, a list as the events of a stream that is never closed. */
  let answer: object;

  beforeAll(async () => {
    upstream = await startLoopbackServer((_request, response) => {
      if (!Array.isArray(answer)) return response.end(JSON.stringify(answer));
      response.setHeader('content-type', 'text/event-stream');
      for (const event of answer) response.write(`data: ${JSON.stringify(event)}\n\n`);
      return undefined;
    });
    answer = { data: [{ b64_json: 'AAAA' }] };
    await addImageModel(gateway, 'test/vendor', [
      {
        provider: 'vendor',
        adapter: 'openai-compatible',
        baseUrl: upstream.origin,
        pricing: { prompt: '0.000005', imageInput: '0.000008', completion: '0.00003', request: '0.01' },
      },
    ]);
  });

  afterAll(() => upstream.close());

  test('completes the response although it keeps its stream open', async () => {
    const usage = {
      input_tokens: 10,
      input_tokens_details: { text_tokens: 4, image_tokens: 6 },
      output_tokens: 100,
      total_tokens: 110,
    };
    answer = [
      { type: 'image_generation.partial_image', b64_json: 'AAAA', partial_image_index: 0 },
      { type: 'image_generation.keepalive' },
      { type: 'image_generation.completed', b64_json: 'BBBB', output_format: 'jpeg', usage },
    ];
    const events = await readImageEvents(await askImages(gateway, { model: 'test/vendor', stream: true }));
    expect(lastPicture(events)).toMatchObject({
      b64_json: 'BBBB',
      media_type: 'image/jpeg',
      // A request, four tokens of text, six of pictures, a hundred of the answer.
      usage: { cost: 0.01 + 0.00002 + 0.000048 + 0.003, completion_tokens_details: { image_tokens: 100 } },
    });
  });

  test('yields events with the index of their image when it makes several at once', async () => {
    const partial = { type: 'image_generation.partial_image', partial_image_index: 0 };
    const completed = { type: 'image_generation.completed' };
    answer = [
      { ...partial, b64_json: 'AAAA', image_index: 0 },
      { ...partial, b64_json: 'BBBB', image_index: 1 },
      { ...completed, b64_json: 'CCCC', image_index: 1 },
      { ...partial, b64_json: 'DDDD', image_index: 0, partial_image_index: 1 },
      { ...completed, b64_json: 'EEEE', image_index: 0 },
    ];
    const body = { model: 'test/vendor', stream: true, n: 2 };
    const events = await readImageEvents(await askImages(gateway, body));
    const places = events.map((event) => 'image_index' in event && [event.b64_json, event.image_index]);
    expect(places).toEqual([
      ['AAAA', 0],
      ['BBBB', 1],
      ['DDDD', 0],
      ['CCCC', 1],
      ['EEEE', 0],
    ]);
    expect(lastPicture(events).b64_json).toBe('EEEE');
  });

  test('yields whole base64 although it cuts images into lines', async () => {
    answer = [
      { type: 'image_generation.partial_image', b64_json: 'AA\r\nAA', partial_image_index: 0 },
      { type: 'image_generation.completed', b64_json: 'BB\nBB' },
    ];
    const events = await readImageEvents(await askImages(gateway, { model: 'test/vendor', stream: true }));
    expect(events).toMatchObject([{ b64_json: 'AAAA' }, { b64_json: 'BBBB' }]);
  });

  test('fails with provider_invalid_response if its image is no base64', async () => {
    answer = [{ type: 'image_generation.completed', b64_json: 'a"b' }];
    const error = await errorOf(await askImages(gateway, { model: 'test/vendor', stream: true }));
    expect(error.metadata.reason).toBe('provider_invalid_response');
  });

  test('gets estimated token counts if it counts nothing', async () => {
    answer = { data: [{ b64_json: 'AAAA' }] };
    const { usage } = await madeImages(await askImages(gateway, { model: 'test/vendor' }));
    expect(usage!.prompt_tokens).toBeGreaterThan(0);
    // 128 by 128 pixels at 4,000 tokens a million.
    expect(usage!.completion_tokens).toBe(66);
  });

  test.each([
    ['escaped', String.raw`{"data":[{"b64_json":"AA\/A"}]}`, 'AA/A'],
    ['cut into lines', String.raw`{"data":[{"b64_json" : "AA\r\nAA"}]}`, 'AAAA'],
    [
      'after words that look like it',
      String.raw`{"data":[{"revised_prompt":"\"b64_json\":\"x\"","b64_json":"AAAA"}]}`,
      'AAAA',
    ],
  ])('yields the right image when its base64 is %s', async (how, json, picture) => {
    const raw = await startLoopbackServer((_request, response) => response.end(json));
    const provider = `raw-${how.replaceAll(' ', '-')}`;
    const model = `test/${provider}`;
    await addImageModel(gateway, model, [{ provider, adapter: 'openai-compatible', baseUrl: raw.origin }]);
    const { data } = await madeImages(await askImages(gateway, { model }));
    await raw.close();
    expect(data).toEqual([{ b64_json: picture, media_type: 'image/png' }]);
  });
});
