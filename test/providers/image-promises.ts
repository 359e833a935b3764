import { describe, expect, test } from '@jest/globals';
import type { LiveCallContext } from '../../providers/call-context.ts';
import type { ImageAdapter, ImageEvent, ImageRequest } from '../../providers/image-adapter.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { describePicture } from '../support/images.ts';
import { PNG } from '../support/tiny-png.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import { closed, heldBy, newRequestId, timedOut } from './held-call.ts';
import { failureOf } from './text-adapter-under-test.ts';
import { setUpProvider } from './provider-under-test.ts';

/**
 * The promises of ImageAdapter, which every adapter of OpenAI's Image API keeps, over HTTP against the local upstream.
 */
export function describeImageAdapter(name: string): void {
  const vendor = setUpProvider(name);

  function connect(baseUrl?: string): ImageAdapter {
    const { image } = vendor.provider(baseUrl);
    if (image === undefined) throw new Error(`${name} makes no pictures`);
    return image;
  }
  const newRequest = (more: Partial<ImageRequest> = {}): ImageRequest => ({
    model: 'image-1',
    prompt: 'A lighthouse',
    n: 1,
    size: { width: 128, height: 128 },
    outputFormat: 'png',
    references: [],
    ...more,
  });
  const newContext = (
    facts: { signal?: AbortSignal; requestId?: string; attemptMs?: number } = {},
  ): LiveCallContext => {
    const { attemptMs } = facts;
    return vendor.newContext({ ...facts, ...(attemptMs !== undefined && { firstByteMs: attemptMs }) });
  };
  const generate = (more?: Partial<ImageRequest>, context = newContext()) =>
    connect().generate(newRequest(more), context);
  async function stream(more?: Partial<ImageRequest>, context = newContext()): Promise<ImageEvent[]> {
    const events: ImageEvent[] = [];
    for await (const batch of await connect().stream!(newRequest(more), context)) events.push(...batch);
    return events;
  }
  const ways = { generate, stream };

  describe('pictures', () => {
    test('come with usage in the field names of chat', async () => {
      const { images, usage } = await generate({ n: 2, references: [PNG] });
      expect(images.map(({ b64Json }) => describePicture(String(b64Json)).format)).toEqual(['png', 'png']);
      expect(usage).toMatchObject({
        prompt_tokens: 259,
        completion_tokens: 32,
        prompt_tokens_details: { text_tokens: 3, image_tokens: 256 },
        completion_tokens_details: { image_tokens: 32 },
      });
    });

    test('stream as partial pictures before the completed one', async () => {
      const events = await stream({ options: { partial_images: 3 } });
      expect(events.map(({ type }) => type)).toEqual(['partial', 'partial', 'partial', 'completed']);
      expect(events.at(-1)).toMatchObject({ usage: { completion_tokens: 16 } });
    });

    test('the request has the caller’s options, which override no other field', async () => {
      await generate({ options: { model: 'other', n: 3, moderation: 'low' }, quality: 'low' });
      expect(vendor.client.upstream.requests('images').at(-1)).toMatchObject({
        path: '/v1/images/generations',
        fields: { model: 'image-1', n: 1, moderation: 'low', quality: 'low', size: '128x128' },
      });
    });

    test('the request has aspect_ratio and resolution when it has no size', async () => {
      const { size: _, ...nameless } = newRequest({ aspectRatio: '16:9', resolution: '2K' });
      await connect().generate(nameless, newContext());
      const { fields } = vendor.client.upstream.requests('images').at(-1)!;
      expect(fields).toMatchObject({ aspect_ratio: '16:9', resolution: '2k' });
      expect(fields).not.toHaveProperty('size');
    });

    test('fail as connection_lost when a stream ends before the last picture', async () => {
      const events = [
        { type: 'image_generation.partial_image', b64_json: 'AAAA', image_index: 0 },
        { type: 'image_generation.partial_image', b64_json: 'BBBB', image_index: 1 },
        { type: 'image_generation.completed', b64_json: 'CCCC', image_index: 1 },
      ];
      const other = await startLoopbackServer((_request, response) => {
        response.setHeader('content-type', 'text/event-stream');
        response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
      });
      const read = async () => {
        for await (const _ of await connect(other.origin).stream!(newRequest({ n: 2 }), newContext()));
      };
      expect(await failureOf(read())).toMatchObject({ code: 'connection_lost' });
      await other.close();
    });

    test('stay within n when the vendor sends more', async () => {
      const data = [{ b64_json: 'AAAA' }, { b64_json: 'BBBB' }];
      const other = await startLoopbackServer((_request, response) =>
        response.end(JSON.stringify({ data, output_format: 'webp' })),
      );
      const { images } = await connect(other.origin).generate(newRequest(), newContext());
      await other.close();
      expect(images).toEqual([{ b64Json: Buffer.from('AAAA'), mediaType: 'image/webp' }]);
    });
  });

  describe.each(Object.entries(ways))('a failure to %s', (_, call) => {
    test.each<[string, FaultInput, string, boolean]>([
      ['a refusal', { kind: 'status', on: 'images', status: 400 }, 'invalid_request', false],
      ['a refused credential', { kind: 'status', on: 'images', status: 401 }, 'unauthorized', false],
      ['a limit', { kind: 'status', on: 'images', status: 429 }, 'rate_limited', true],
      ['trouble', { kind: 'status', on: 'images', status: 500 }, 'server_error', true],
      [
        'a policy',
        { kind: 'status', on: 'images', status: 400, code: 'moderation_blocked' },
        'content_policy',
        false,
      ],
      ['an error in a 200', { kind: 'error-body', on: 'images' }, 'server_error', true],
      // Twice: what is lost with a connection that was used before is asked again.
      ['a cut connection', { kind: 'drop', on: 'images', times: 2 }, 'connection_lost', true],
      ['broken JSON', { kind: 'garbage', on: 'images' }, 'invalid_response', true],
      ['another shape', { kind: 'wrong-shape', on: 'images' }, 'invalid_response', true],
    ])('has the error code and the retry verdict of %s', async (_what, fault, code, retryable) => {
      vendor.client.upstream.addFaults(fault);
      expect(await failureOf(call())).toMatchObject({ code, retryable });
    });

    test('has the code timeout when the vendor stays silent', async () => {
      await timedOut(vendor.client, { kind: 'hang', on: 'images' }, ({ requestId, timeoutMs }) =>
        call({}, newContext({ requestId, attemptMs: timeoutMs })),
      );
    });

    test('closes the connection when the caller aborts', async () => {
      vendor.client.upstream.addFaults({ kind: 'large-image', stallsAfter: 1024 ** 2 });
      const [leaving, requestId] = [new AbortController(), newRequestId()];
      const error = failureOf(call({}, newContext({ signal: leaving.signal, requestId })));
      const request = await heldBy(vendor.client, requestId);
      leaving.abort();
      expect(await error).toMatchObject({ code: 'aborted', retryable: false });
      await closed(request);
    });

    test('sends nothing to the vendor when a reference is invalid', async () => {
      const before = vendor.client.upstream.requests('images').length;
      for (const url of ['https://10.0.0.1/a.png', 'data:image/gif;base64,AAAA', 'data:image/png;base64,']) {
        expect(await failureOf(call({ references: [url] }))).toMatchObject({ code: 'invalid_request' });
      }
      expect(vendor.client.upstream.requests('images')).toHaveLength(before);
    });
  });
}
