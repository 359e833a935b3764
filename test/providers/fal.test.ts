import { describe, expect, test } from '@jest/globals';
import type { VideoStatus, VideoSubmitRequest } from '../../providers/video-adapter.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import { jsonReply, type Reply } from '../../upstream/reply.ts';
import { describeLacks } from './adapter-submit.ts';
import { describeVideoPromises } from './adapter-suite.ts';
import { type FalUpstream, type QueuedRequest, startFalUpstream } from './fal-upstream.ts';

const PNG = 'data:image/png;base64,AAAA';
const LAST = 'https://pictures.example/last.png';

const adapter = describeVideoPromises('fal', {
  start: startFalUpstream,
  model: 'acme/clip',
  running: { state: 'running', vendorStatus: 'IN_PROGRESS' },
  failedStatus: 'bad_luck',
  afterCancel: 'cancelled',
});
const vendor = () => adapter.client as FalUpstream;

async function submitted(request: Partial<VideoSubmitRequest>): Promise<QueuedRequest> {
  await adapter.submit(request);
  return vendor().queued().at(-1)!;
}

/** The status of a job whose result is this answer. */
async function statusWith(answer: Reply, units?: unknown): Promise<VideoStatus> {
  vendor().answerResults(answer);
  const operation = await adapter.submitWith(
    ...(units === undefined ? [] : [{ kind: 'charge', amount: units }]),
  );
  return adapter
    .connect()
    .status(operation, adapter.newContext())
    .finally(() => vendor().answerResults(undefined));
}

const FULL = {
  prompt: 'A lighthouse',
  durationSeconds: 8,
  resolution: '720p',
  aspectRatio: '16:9',
  seed: 7,
  generateAudio: false,
};
const FIRST = { url: PNG, frameType: 'first_frame' } as const;
const BOTH = [FIRST, { url: LAST, frameType: 'last_frame' }] as const;

describe('a request in the queue of fal', () => {
  const shared = { prompt: 'A lighthouse', resolution: '720p', aspect_ratio: '16:9', seed: 7 };

  test.each<[string, string, Partial<VideoSubmitRequest>, string, object]>([
    ['a text of Veo', 'fal-ai/veo3.1', FULL, '', { ...shared, duration: '8s', generate_audio: false }],
    [
      'a first frame of Veo',
      'fal-ai/veo3.1',
      { ...FULL, resolution: '4K', frameImages: [FIRST] },
      '/image-to-video',
      { ...shared, resolution: '4k', duration: '8s', generate_audio: false, image_url: PNG },
    ],
    [
      'a text of Kling',
      'fal-ai/kling-video/v3/pro',
      FULL,
      '/text-to-video',
      { prompt: 'A lighthouse', duration: '8', aspect_ratio: '16:9', generate_audio: false },
    ],
    [
      'two frames of Kling',
      'fal-ai/kling-video/v3/pro',
      { ...FULL, frameImages: [...BOTH] },
      '/image-to-video',
      {
        prompt: 'A lighthouse',
        duration: '8',
        generate_audio: false,
        start_image_url: PNG,
        end_image_url: LAST,
      },
    ],
    [
      'two frames of Kling 2.5',
      'fal-ai/kling-video/v2.5-turbo/pro',
      { ...FULL, durationSeconds: 5, frameImages: [...BOTH] },
      '/image-to-video',
      { prompt: 'A lighthouse', duration: '5', image_url: PNG, tail_image_url: LAST },
    ],
    [
      'references of Seedance',
      'bytedance/seedance-2.0',
      { ...FULL, inputReferences: [{ kind: 'image', url: PNG }] },
      '/reference-to-video',
      { ...shared, duration: '8', generate_audio: false, image_urls: [PNG] },
    ],
    ['a text of Wan', 'fal-ai/wan/v2.7', FULL, '/text-to-video', { ...shared, duration: 8 }],
    [
      'two frames of Wan',
      'fal-ai/wan/v2.7',
      { ...FULL, frameImages: [...BOTH] },
      '/image-to-video',
      {
        prompt: 'A lighthouse',
        resolution: '720p',
        seed: 7,
        duration: 8,
        image_url: PNG,
        end_image_url: LAST,
      },
    ],
    [
      'a first frame of Hailuo',
      'fal-ai/minimax/hailuo-2.3/pro',
      { frameImages: [FIRST], passthrough: { prompt_optimizer: false, prompt: 'Another' } },
      '/image-to-video',
      { prompt: 'A lighthouse', prompt_optimizer: false, image_url: PNG },
    ],
    [
      'a text of Luma',
      'fal-ai/luma-dream-machine/ray-2-flash',
      { ...FULL, durationSeconds: 5 },
      '',
      { prompt: 'A lighthouse', duration: '5s', resolution: '720p', aspect_ratio: '16:9' },
    ],
  ])('has the fields and the path of its app: %s', async (_, upstreamModel, request, path, input) => {
    expect(await submitted({ upstreamModel, ...request })).toMatchObject({ app: upstreamModel + path });
    expect(vendor().queued().at(-1)?.input).toEqual(input);
  });

  describeLacks(adapter, [
    ['a continuation', { previousOperation: { id: 'p1' } }],
    ['a last frame of Veo', { upstreamModel: 'fal-ai/veo3.1', frameImages: [...BOTH] }],
    ['a last frame alone', { upstreamModel: 'fal-ai/wan/v2.7', frameImages: [BOTH[1]] }],
    ['frames of Ray 2', { upstreamModel: 'fal-ai/luma-dream-machine/ray-2-flash', frameImages: [FIRST] }],
    [
      'references of Wan',
      { upstreamModel: 'fal-ai/wan/v2.7', inputReferences: [{ kind: 'image', url: PNG }] },
    ],
  ]);

  test('has a webhook, and a start deadline a minute after the deadline of the gateway', async () => {
    const callbackUrl = 'https://gateway.example/api/v1/provider-callbacks/fal/j?token=a&b';
    expect(await submitted({ callbackUrl, maxRunSeconds: 1800 })).toMatchObject({
      webhook: callbackUrl,
      startTimeout: '1860',
    });
    expect(await submitted({})).toMatchObject({ webhook: undefined, startTimeout: undefined });
  });

  test('fails in the words of the app when it refuses the input', async () => {
    const upstreamModel = 'fal-ai/wan/v2.7';
    const error = await adapter.failure(adapter.submit({ upstreamModel, durationSeconds: 99 }));
    expect(error).toMatchObject({ code: 'invalid_request', status: 422 });
    expect(error.publicMessage).toMatch(/^body\.duration: /);
  });
});

describe('the result of a request', () => {
  const url = 'https://v3.fal.media/files/a/out.mp4';
  const made = (result: unknown) => jsonReply(200, result);
  const report = { billable_units: '4' };
  const output = { index: 0, location: url };

  test.each<[string, Reply, VideoStatus]>([
    ['a video', made({ video: { url }, seed: 7, surprise: [] }), { state: 'completed', outputs: [output] }],
    ['a list of videos', made({ videos: [{ url }] }), { state: 'completed', outputs: [output] }],
    [
      'a data URL',
      made({ video: { url: 'data:video/mp4;base64,AAAA' } }),
      { state: 'completed', outputs: [] },
    ],
    [
      'a flagged video',
      made({ video: { url }, has_nsfw_concepts: [true] }),
      {
        state: 'failed',
        vendorStatus: 'content_policy_violation',
        publicMessage: 'The provider flagged the content of the video',
      },
    ],
    [
      'a refusal of the content',
      jsonReply(422, {
        detail: [{ loc: ['body', 'prompt'], msg: 'Flagged by a checker', type: 'content_policy_violation' }],
      }),
      {
        state: 'failed',
        vendorStatus: 'content_policy_violation',
        publicMessage: 'body.prompt: Flagged by a checker',
      },
    ],
    [
      'a failure of a runner',
      jsonReply(503, { detail: 'Runner disconnected', error_type: 'runner_disconnected' }),
      { state: 'failed', vendorStatus: 'runner_disconnected', publicMessage: 'Runner disconnected' },
    ],
    [
      'a refusal without words',
      jsonReply(400, {}),
      {
        state: 'failed',
        vendorStatus: 'status_400',
        publicMessage: 'The provider could not generate the video',
      },
    ],
  ])('becomes the state of the job, with the billed units: %s', async (_, answer, status) => {
    expect(await statusWith(answer)).toEqual({ ...status, report });
  });

  test.each<[string, Reply, string, boolean]>([
    [
      'a page of a broken proxy',
      { status: 502, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>') },
      'server_error',
      true,
    ],
    ['503 without an error type', jsonReply(503, { detail: 'Busy' }), 'overloaded', true],
    ['a refused key', jsonReply(401, { detail: 'Cannot access' }), 'unauthorized', false],
    ['a rate limit', jsonReply(429, { detail: 'Slow' }, { 'retry-after': '7' }), 'rate_limited', true],
    ['an expired result', jsonReply(410, { detail: 'Result expired' }), 'not_found', false],
    ['an account without credit', jsonReply(402, { detail: 'Pay' }), 'unauthorized', false],
    ['a locked account', jsonReply(403, { detail: 'User is locked' }), 'unauthorized', false],
    ['a result that is not there', jsonReply(404, { detail: 'Not there' }), 'not_found', false],
    ['a timeout of the reader', jsonReply(408, { detail: 'Late' }), 'timeout', true],
    ['a reader that is too early', jsonReply(425, { detail: 'Early' }), 'invalid_request', false],
    [
      'text in place of JSON',
      { ...jsonReply(200, {}), body: Buffer.from('{"video":') },
      'invalid_response',
      true,
    ],
    ['a list', made([]), 'invalid_response', true],
  ])('does not end the job when it is %s', async (_, answer, code, retryable) => {
    expect(await adapter.failure(statusWith(answer))).toMatchObject({ code, retryable });
  });

  test('fails the job when it is larger than any result', async () => {
    const answer = made({ video: { url: `data:video/mp4;base64,${'A'.repeat(2 * 1024 ** 2)}` } });
    expect(await statusWith(answer)).toMatchObject({ state: 'failed', vendorStatus: 'result_too_large' });
  });

  test.each([
    ['8.439999999999998', { billable_units: '8.44' }],
    [' 38.8 ', { billable_units: '38.8' }],
    ['-1', undefined],
    ['many', undefined],
    [null, undefined],
  ])('reports the units %j as %j', async (amount, units) => {
    expect(await statusWith(made({ video: { url } }), amount)).toEqual({
      state: 'completed',
      outputs: [output],
      ...(units && { report: units }),
    });
  });
});

test('the key goes to the base URL only, also when an answer has other addresses', async () => {
  const paths: string[] = [];
  const proxy = await startLoopbackServer((request, response) => {
    paths.push(`${request.method} ${request.url}`);
    const url = 'https://queue.fal.run/acme/clip/requests/r1';
    const urls = { status_url: `${url}/status`, response_url: url, cancel_url: `${url}/cancel` };
    response.end(JSON.stringify({ request_id: 'r1', status: 'IN_QUEUE', ...urls }));
  });
  const video = adapter.connect({ baseUrl: `${proxy.origin}/proxied` });
  const operation = await video.submit(adapter.newRequest(), adapter.newContext());
  await video.status(operation, adapter.newContext());
  await video.cancel?.(operation, adapter.newContext());
  await proxy.close();
  expect(paths).toEqual([
    'POST /proxied/acme/clip',
    'GET /proxied/acme/clip/requests/r1/status',
    'PUT /proxied/acme/clip/requests/r1/cancel',
  ]);
});
