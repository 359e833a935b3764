import { afterEach, describe, expect, test } from '@jest/globals';
import type { VideoStatus, VideoSubmitRequest } from '../../providers/video-adapter.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import { jsonReply, type Reply } from '../../upstream/reply.ts';
import { describeLacks } from './adapter-submit.ts';
import { describeVideoPromises } from './adapter-suite.ts';
import { type FalUpstream, type QueuedRequest, startFalUpstream } from './fal-upstream.ts';

type Given = Partial<VideoSubmitRequest>;

const [PNG, END] = ['data:image/png;base64,AAAA', 'https://pictures.example/last.png'];
const [VEO, KLING, WAN] = ['fal-ai/veo3.1', 'fal-ai/kling-video/v3/pro', 'fal-ai/wan/v2.7'];
const [TURBO, HAILUO] = ['fal-ai/kling-video/v2.5-turbo/pro', 'fal-ai/minimax/hailuo-2.3/pro'];
const [SEEDANCE, RAY] = ['bytedance/seedance-2.0', 'fal-ai/luma-dream-machine/ray-2-flash'];

/** A request with all fields that apps share, and with pictures. */
const FULL = { durationSeconds: 8, resolution: '720p', aspectRatio: '16:9', seed: 7, generateAudio: false };
const first = { url: PNG, frameType: 'first_frame' } as const;
const last = { url: END, frameType: 'last_frame' } as const;
const FIRST: Given = { ...FULL, frameImages: [first] };
const BOTH: Given = { ...FULL, frameImages: [first, last] };
const REFERENCE: Given = { ...FULL, inputReferences: [{ kind: 'image', url: PNG }] };

const adapter = describeVideoPromises('fal', {
  start: startFalUpstream,
  model: 'acme/clip',
  running: { state: 'running', vendorStatus: 'IN_PROGRESS' },
  failedStatus: 'bad_luck',
  afterCancel: 'cancelled',
});
const vendor = () => adapter.client as FalUpstream;
afterEach(() => (vendor().answers.result = undefined));

async function submitted(request: Given): Promise<QueuedRequest> {
  await adapter.submit(request);
  return vendor().queued().at(-1)!;
}

/** The status of a job with this result, for which fal bills an amount of units. */
async function statusWith(result: Reply, amount: unknown = '4.0'): Promise<VideoStatus> {
  vendor().answers.result = result;
  const operation = await adapter.submitWith({ kind: 'charge', amount });
  return adapter.connect().status(operation, adapter.newContext());
}

describe('a request in the queue of fal', () => {
  const [ofText, ofFrames, ofReferences] = ['/text-to-video', '/image-to-video', '/reference-to-video'];
  const shape = { resolution: '720p', aspect_ratio: '16:9', seed: 7 };
  const silent = { generate_audio: false };
  const options = { passthrough: { prompt_optimizer: false, prompt: 'Another' } };

  test.each<[app: string, path: string, request: Given, input: object]>([
    [VEO, '', { ...FULL, resolution: '4K' }, { ...shape, ...silent, duration: '8s', resolution: '4k' }],
    [VEO, ofFrames, FIRST, { ...shape, ...silent, duration: '8s', image_url: PNG }],
    [KLING, ofText, FULL, { duration: '8', aspect_ratio: '16:9', ...silent }],
    [KLING, ofFrames, BOTH, { duration: '8', ...silent, start_image_url: PNG, end_image_url: END }],
    [
      TURBO,
      ofFrames,
      { ...BOTH, durationSeconds: 5 },
      { duration: '5', image_url: PNG, tail_image_url: END },
    ],
    [SEEDANCE, ofReferences, REFERENCE, { ...shape, ...silent, duration: '8', image_urls: [PNG] }],
    [WAN, ofText, FULL, { ...shape, duration: 8 }],
    [WAN, ofFrames, BOTH, { resolution: '720p', seed: 7, duration: 8, image_url: PNG, end_image_url: END }],
    [HAILUO, ofFrames, { ...FIRST, ...options }, { prompt_optimizer: false, image_url: PNG }],
    [RAY, '', { ...FULL, durationSeconds: 5 }, { duration: '5s', resolution: '720p', aspect_ratio: '16:9' }],
  ])('has the path and the fields of its app: %s%s', async (upstreamModel, path, request, input) => {
    const sent = await submitted({ upstreamModel, ...request });
    expect([sent.app, sent.input]).toEqual([upstreamModel + path, { prompt: 'A lighthouse', ...input }]);
  });

  describeLacks(adapter, [
    ['a continuation', { previousOperation: { id: 'p1' } }],
    ['a last frame of Veo', { upstreamModel: VEO, ...BOTH }],
    ['a last frame alone', { upstreamModel: WAN, frameImages: [last] }],
    ['frames of Ray 2', { upstreamModel: RAY, ...FIRST }],
    ['references of Wan', { upstreamModel: WAN, ...REFERENCE }],
  ]);

  test('has a webhook, and a start deadline a minute after the deadline of the gateway', async () => {
    const webhook = 'https://gateway.example/api/v1/provider-callbacks/fal/j?token=a&b';
    const sent = await submitted({ callbackUrl: webhook, maxRunSeconds: 1800 });
    expect(sent).toMatchObject({ webhook, startTimeout: '1860' });
    expect(await submitted({})).toMatchObject({ webhook: undefined, startTimeout: undefined });
  });
});

describe('the result of a request', () => {
  const url = 'https://v3.fal.media/files/a/out.mp4';
  const made = (result: unknown) => jsonReply(200, result);
  const completed: VideoStatus = { state: 'completed', outputs: [{ index: 0, location: url }] };
  const failed = (vendorStatus: string, publicMessage: string): VideoStatus => {
    return { state: 'failed', vendorStatus, publicMessage };
  };
  const policy = 'content_policy_violation';
  const refusal = { detail: [{ loc: ['body', 'prompt'], msg: 'Flagged by a checker', type: policy }] };
  const disconnected = { detail: 'Runner disconnected', error_type: 'runner_disconnected' };
  const flagged = 'The provider flagged the content of the video';

  test.each<[string, Reply, VideoStatus]>([
    ['a video', made({ video: { url }, seed: 7, surprise: [] }), completed],
    ['a list of videos', made({ videos: [{ url }] }), completed],
    ['a data URL', made({ video: { url: 'data:video/mp4;base64,AAAA' } }), { ...completed, outputs: [] }],
    ['a flagged video', made({ video: { url }, has_nsfw_concepts: [true] }), failed(policy, flagged)],
    [
      'a refusal of the content',
      jsonReply(422, refusal),
      failed(policy, 'body.prompt: Flagged by a checker'),
    ],
    ['a lost runner', jsonReply(503, disconnected), failed('runner_disconnected', 'Runner disconnected')],
    ['no words', jsonReply(400, {}), failed('status_400', 'The provider could not generate the video')],
  ])('becomes the state of the job, with the billed units: %s', async (_, answer, status) => {
    expect(await statusWith(answer)).toEqual({ ...status, report: { billable_units: '4' } });
  });

  const page = { status: 502, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>') };
  test.each<[string, Reply, string]>([
    ['a page of a broken proxy', page, 'server_error'],
    ['503 without an error type', jsonReply(503, { detail: 'Busy' }), 'overloaded'],
    ['text in place of JSON', { ...made({}), body: Buffer.from('{"video":') }, 'invalid_response'],
    ['a list', made([]), 'invalid_response'],
  ])('does not end the job when it is %s', async (_, answer, code) => {
    expect(await adapter.failure(statusWith(answer))).toMatchObject({ code, retryable: true });
  });

  test.each([401, 402, 403, 404, 408, 410, 425, 429])(
    'does not end the job when its status is %d, which is about the reader',
    async (status) => {
      const reading = statusWith(jsonReply(status, { detail: 'Not now' }));
      expect(await adapter.failure(reading)).toMatchObject({ status });
    },
  );

  test('fails the job when it is larger than any result', async () => {
    const answer = made({ video: { url: `data:video/mp4;base64,${'A'.repeat(2 * 1024 ** 2)}` } });
    expect(await statusWith(answer)).toMatchObject({ state: 'failed', vendorStatus: 'result_too_large' });
  });

  test.each([
    ['8.439999999999998', { billable_units: '8.44' }],
    ['many', undefined],
    [null, undefined],
  ])('reports the units %j as %j', async (amount, report) => {
    const status = await statusWith(made({ video: { url } }), amount);
    expect(status).toEqual({ ...completed, ...(report && { report }) });
  });
});

test('a job keeps paths below the base URL, also when an answer has addresses of another host', async () => {
  const url = 'https://queue.fal.run/acme/clip/requests/r1';
  const urls = { status_url: `${url}/status`, response_url: url, cancel_url: `${url}/cancel` };
  const proxy = await startLoopbackServer((_, response) =>
    response.end(JSON.stringify({ request_id: 'r1', status: 'IN_QUEUE', ...urls })),
  );
  const video = adapter.connect({ baseUrl: `${proxy.origin}/proxied` });
  const operation = await video.submit(adapter.newRequest(), adapter.newContext());
  await proxy.close();
  const path = 'acme/clip/requests/r1';
  expect(operation).toEqual({ id: 'r1', status: `${path}/status`, response: path, cancel: `${path}/cancel` });
});
