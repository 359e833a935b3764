import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createOutboundGuard, type OutboundGuard } from '../../platform/outbound-guard.ts';
import type { ImageAnswer, ImageRequest } from '../../providers/image-adapter.ts';
import { createProviders } from '../../providers/registry.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { jsonReply } from '../../upstream/reply.ts';
import { freeAnswer } from '../support/free-answer.ts';
import { describePicture } from '../support/images.ts';
import { type FalUpstream, startFalUpstream } from './fal-upstream.ts';
import { closed, heldBy, newRequestId, timedOut } from './held-call.ts';
import { failureOf } from './text-adapter-under-test.ts';
import { UPSTREAM_KEY } from './upstream-client.ts';

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let vendor: FalUpstream;
let outbound: OutboundGuard;

beforeAll(async () => {
  vendor = await startFalUpstream();
  outbound = createOutboundGuard({ allow: ['127.0.0.0/8'] });
});
afterEach(() => {
  vendor.upstream.clearFaults();
  vendor.answerPictures(undefined);
});
afterAll(async () => {
  await outbound.close();
  await vendor.upstream.close();
});

interface CallFacts {
  signal?: AbortSignal;
  requestId?: string;
  timeoutMs?: number;
}

function generate(more: Partial<ImageRequest> = {}, facts: CallFacts = {}): Promise<ImageAnswer> {
  const { signal = new AbortController().signal, requestId = 'req_test', timeoutMs = 60_000 } = facts;
  const rows = [{ slug: 'fal', adapter: 'fal', baseUrl: vendor.baseUrl }];
  const { image } = createProviders({ rows, credentials: () => ({ apiKey: UPSTREAM_KEY }), outbound }).get(
    'fal',
  )!;
  const timeouts = { firstByteMs: timeoutMs, idleMs: timeoutMs, attemptMs: timeoutMs };
  return image!.generate(
    {
      model: 'fal-ai/flux/dev',
      prompt: 'A lighthouse',
      n: 1,
      size: { width: 1024, height: 768 },
      outputFormat: 'png',
      references: [],
      ...more,
    },
    { signal, requestId, timeouts, answer: freeAnswer(true) },
  );
}

const sent = () => vendor.upstream.requests('images').at(-1);

describe('pictures of fal', () => {
  test('come as files, with the billed units', async () => {
    const { images, units } = await generate({ n: 3, seed: 7 });
    expect(images.map(({ b64Json }) => describePicture(String(b64Json)).format)).toEqual([
      'png',
      'png',
      'png',
    ]);
    expect(units).toBe('3');
    expect(sent()).toMatchObject({
      path: '/fal-ai/flux/dev',
      fields: { prompt: 'A lighthouse', num_images: 3, seed: 7, output_format: 'png' },
    });
  });

  test('have names in place of pixels, and references at the app that edits', async () => {
    const names = { size: undefined, aspectRatio: '16:9', resolution: '2K', references: [PNG] };
    await generate({ model: 'fal-ai/nano-banana-2', ...names, options: { prompt: 'Another' } });
    expect(sent()).toMatchObject({
      path: '/fal-ai/nano-banana-2/edit',
      fields: { prompt: 'A lighthouse', aspect_ratio: '16:9', resolution: '2K' },
    });
  });

  test('may be data URLs, and more than requested', async () => {
    vendor.answerPictures(jsonReply(200, { images: [{ url: PNG }, { url: PNG }] }));
    const { images, units } = await generate();
    expect(images).toEqual([{ b64Json: PNG.split(',')[1] }]);
    expect(units).toBeUndefined();
  });

  test('stay out of the answer when flagged, and fail as content_policy when all are', async () => {
    const answer = (...flags: boolean[]) =>
      jsonReply(200, { images: flags.map(() => ({ url: PNG })), has_nsfw_concepts: flags });
    vendor.answerPictures(answer(true, false));
    expect((await generate({ n: 2 })).images).toHaveLength(1);
    vendor.answerPictures(answer(true));
    expect(await failureOf(generate())).toMatchObject({ code: 'content_policy', retryable: false });
  });

  test.each<[string, FaultInput, string, boolean]>([
    ['a refusal', { kind: 'status', on: 'images', status: 422 }, 'invalid_request', false],
    ['a refused credential', { kind: 'status', on: 'images', status: 401 }, 'unauthorized', false],
    ['a limit', { kind: 'status', on: 'images', status: 429 }, 'rate_limited', true],
    ['trouble', { kind: 'status', on: 'images', status: 500 }, 'server_error', true],
    [
      'a policy',
      { kind: 'status', on: 'images', status: 422, code: 'content_policy_violation' },
      'content_policy',
      false,
    ],
    // Twice: what is lost with a connection that was used before is asked again.
    ['a cut connection', { kind: 'drop', on: 'images', times: 2 }, 'connection_lost', true],
    ['broken JSON', { kind: 'garbage', on: 'images' }, 'invalid_response', true],
    ['another shape', { kind: 'wrong-shape', on: 'images' }, 'invalid_response', true],
  ])('fail with the code and the retry verdict of %s', async (_what, fault, code, retryable) => {
    vendor.upstream.addFaults(fault);
    expect(await failureOf(generate())).toMatchObject({ code, retryable });
  });

  test('fail as timeout when fal stays silent', async () => {
    await timedOut(vendor, { kind: 'hang', on: 'images' }, (facts) => generate({}, facts));
  });

  test('close the connection when the caller leaves, so that fal stops', async () => {
    vendor.upstream.addFaults({ kind: 'hang', on: 'images' });
    const [leaving, requestId] = [new AbortController(), newRequestId()];
    const error = failureOf(generate({}, { signal: leaving.signal, requestId }));
    const request = await heldBy(vendor, requestId);
    leaving.abort();
    expect(await error).toMatchObject({ code: 'aborted', retryable: false });
    await closed(request);
  });

  test('send nothing to fal when a reference is invalid', async () => {
    const before = vendor.upstream.requests('images').length;
    for (const url of ['https://10.0.0.1/a.png', 'data:image/gif;base64,AAAA', 'data:image/png;base64,']) {
      expect(await failureOf(generate({ references: [url] }))).toMatchObject({ code: 'invalid_request' });
    }
    expect(vendor.upstream.requests('images')).toHaveLength(before);
  });
});
