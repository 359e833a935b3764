import { describe, expect, test } from '@jest/globals';
import type { VideoStatus, VideoSubmitRequest } from '../../providers/video-adapter.ts';
import { createProviders } from '../../providers/registry.ts';
import { startLoopbackServer } from '../platform/loopback-server.ts';
import { describeLacks } from './adapter-submit.ts';
import { describeVideoPromises } from './adapter-suite.ts';
import type { Prediction } from './replicate-prediction.ts';
import { type ReplicateUpstream, startReplicateUpstream } from './replicate-upstream.ts';
import { UPSTREAM_KEY } from './upstream-client.ts';

const PNG = 'data:image/png;base64,AAAA';
const VERSION = '5c7d5dc6dd8bf75c1acaa8565735e7986bc5b66206b55cca93cb72c9bf15ccaa';

const adapter = describeVideoPromises('replicate', {
  start: startReplicateUpstream,
  model: 'acme/clip',
  running: { state: 'running', vendorStatus: 'processing' },
  failedStatus: 'failed',
  afterCancel: 'cancelled',
});

/** What the vendor got of a request. */
async function submitted(request: Partial<VideoSubmitRequest>): Promise<Prediction> {
  await adapter.submit(request);
  return (adapter.client as ReplicateUpstream).predictions().at(-1)!;
}

describe('a prediction of Replicate', () => {
  test.each([
    ['google/veo-3.1', '/v1/models/google/veo-3.1/predictions', undefined],
    [`acme/clip:${VERSION}`, '/v1/predictions', `acme/clip:${VERSION}`],
    [VERSION, '/v1/predictions', VERSION],
  ])('goes for %s to the path where such models run', async (upstreamModel, path, version) => {
    await adapter.submit({ upstreamModel });
    const sent = adapter.client.upstream.requests('create').at(-1);
    expect(sent).toMatchObject({ method: 'POST', path });
    expect(sent?.fields?.['version']).toBe(version);
  });

  test('contains the request as its input, which options cannot replace', async () => {
    const { input } = await submitted({
      prompt: 'A lighthouse',
      durationSeconds: 8,
      size: { width: 1280, height: 720 },
      resolution: '720p',
      aspectRatio: '16:9',
      seed: 7,
      generateAudio: false,
      passthrough: { negative_prompt: 'fog', duration: 60, resolution: '4k' },
    });
    expect(input).toEqual({
      prompt: 'A lighthouse',
      duration: 8,
      resolution: '720p',
      aspect_ratio: '16:9',
      seed: 7,
      generate_audio: false,
      negative_prompt: 'fog',
    });
  });

  test.each([
    ['bytedance/seedance-2.0', 'image', 'last_frame_image'],
    ['google/veo-3.1', 'image', 'last_frame'],
    ['kwaivgi/kling-o1', 'start_image', 'end_image'],
    ['minimax/hailuo-02', 'first_frame_image', 'last_frame_image'],
  ])('names the frames of %s as %s and %s', async (upstreamModel, firstFrame, lastFrame) => {
    const { input } = await submitted({
      upstreamModel,
      frameImages: [
        { url: PNG, frameType: 'first_frame' },
        { url: 'https://pictures.example/last.png', frameType: 'last_frame' },
      ],
    });
    expect(input).toEqual({
      prompt: 'A lighthouse',
      [firstFrame]: PNG,
      [lastFrame]: 'https://pictures.example/last.png',
    });
  });

  test('lists references by kind', async () => {
    const { input } = await submitted({
      inputReferences: [
        { kind: 'image', url: 'https://a.example/1.png' },
        { kind: 'image', url: PNG },
        { kind: 'audio', url: 'https://a.example/1.mp3' },
      ],
    });
    expect(input).toMatchObject({
      reference_images: ['https://a.example/1.png', PNG],
      reference_audios: ['https://a.example/1.mp3'],
    });
    expect(input).not.toHaveProperty('reference_videos');
  });

  test("has a deadline a minute after the gateway's own", async () => {
    const { createdAtMs, deadlineMs } = await submitted({ maxRunSeconds: 1800 });
    expect(Math.round((deadlineMs! - createdAtMs) / 1000)).toBe(1860);
    expect(await submitted({})).not.toHaveProperty('deadlineMs');
  });

  describeLacks(adapter, [['a continuation', { previousOperation: { id: 'p1' } }]]);
});

describe('a callback address', () => {
  const callbackUrl = 'https://gateway.example/api/v1/provider-callbacks/replicate/j?token=t';

  test('goes with the job, for its end only', async () => {
    expect(await submitted({ callbackUrl })).toMatchObject({
      webhook: callbackUrl,
      webhookEvents: ['completed'],
    });
  });

  test('stays out of a request without one', async () => {
    const { webhook } = await submitted({});
    expect(webhook).toBeUndefined();
  });

  test.each([
    ['https://api.replicate.test/v1', 'https://gateway.example/c', true],
    ['https://api.replicate.test/v1', 'http://localhost:8080/c', false],
    ['http://127.0.0.1/v1', 'http://localhost:8080/c', true],
  ])('goes to the vendor at %s when it is %s: %s', async (baseUrl, address, told) => {
    const bodies: string[] = [];
    const dispatcher = { request: captureBody(bodies) } as never;
    const outbound = { fetch: () => Promise.reject(new Error('nothing is fetched here')) };
    const rows = [{ slug: 'replicate', adapter: 'replicate', baseUrl }];
    const providers = createProviders({ rows, credentials: () => ({}), outbound, dispatcher });
    const request = adapter.newRequest({ callbackUrl: address });
    await adapter.failure(providers.get('replicate')!.video!.submit(request, adapter.newContext()));
    expect(bodies.map((body) => 'webhook' in JSON.parse(body))).toEqual([told]);
  });
});

/** A dispatcher that sends nothing. */
function captureBody(bodies: string[]) {
  return (options: { body: string }): Promise<never> => {
    bodies.push(options.body);
    return Promise.reject(new Error('not sent'));
  };
}

describe('the status of a prediction of Replicate', () => {
  const url = 'https://replicate.delivery/x/out.mp4';
  const times = { deadline: '2026-01-01T00:30:00.000Z', completed_at: '2026-01-01T00:30:00.500Z' };
  const outputs = (...locations: string[]): VideoStatus => ({
    state: 'completed',
    outputs: locations.map((location, index) => ({ index, location })),
  });

  test.each<[string, object, VideoStatus]>([
    ['a file', { status: 'succeeded', output: url }, outputs(url)],
    ['several files', { status: 'succeeded', output: [url, `${url}?2`] }, outputs(url, `${url}?2`)],
    ['files among other things', { status: 'succeeded', output: ['a note', url, 7] }, outputs(url)],
    ['no file any more', { status: 'succeeded', output: null, data_removed: true }, outputs()],
    ['an address that is no web address', { status: 'succeeded', output: 'file:///etc/passwd' }, outputs()],
    ['starting', { status: 'starting', output: null }, { state: 'running', vendorStatus: 'starting' }],
    ['a word to come', { status: 'queued', output: null }, { state: 'running', vendorStatus: 'queued' }],
    ['canceled', { status: 'canceled', output: null }, { state: 'cancelled', vendorStatus: 'canceled' }],
    [
      'canceled before its deadline',
      { status: 'canceled', ...times, completed_at: '2026-01-01T00:01:00.000Z' },
      { state: 'cancelled', vendorStatus: 'canceled' },
    ],
    [
      'canceled by its deadline',
      { status: 'canceled', ...times },
      { state: 'expired', vendorStatus: 'canceled' },
    ],
    ['aborted', { status: 'aborted', output: null }, { state: 'expired', vendorStatus: 'aborted' }],
    [
      'failed, in words that are fit to show',
      { status: 'failed', error: `Flagged as sensitive (E005), see https://x.example, key ${UPSTREAM_KEY}` },
      {
        state: 'failed',
        vendorStatus: 'failed',
        publicMessage: 'Flagged as sensitive (E005), see [link] key [redacted]',
      },
    ],
    [
      'failed without a word',
      { status: 'failed', error: { code: 1 } },
      { state: 'failed', vendorStatus: 'failed', publicMessage: 'The provider could not generate the video' },
    ],
  ])('becomes state and outputs of the job: %s', async (_, prediction, status) => {
    const vendor = await startLoopbackServer((_request, response) =>
      response.end(JSON.stringify({ id: 'p1', ...prediction })),
    );
    const video = adapter.connect({ baseUrl: `${vendor.origin}/v1` });
    expect(await video.status({ id: 'p1' }, adapter.newContext())).toEqual(status);
    await vendor.close();
  });
});

describe('the cancellation of a prediction', () => {
  test.each([
    ['succeeded', 'not_stopped'],
    ['failed', 'not_stopped'],
    ['canceled', 'stopped'],
    ['aborted', 'stopped'],
  ] as const)('returns for a prediction that %s earlier: %s', async (status, outcome) => {
    const operation = await adapter.submitWith({ kind: 'stall' });
    await (adapter.client as ReplicateUpstream).finish(String(operation['id']), status);
    expect(await adapter.connect().cancel?.(operation, adapter.newContext())).toEqual({ kind: outcome });
  });

  test.each(['', '{}', '[]', '{"status":"processing"}'])(
    'returns stopped for 200 with the body %j',
    async (body) => {
      const vendor = await startLoopbackServer((_request, response) => response.end(body));
      const video = adapter.connect({ baseUrl: `${vendor.origin}/v1` });
      expect(await video.cancel?.({ id: 'p1' }, adapter.newContext())).toEqual({ kind: 'stopped' });
      await vendor.close();
    },
  );
});

test('a file is fetched without the key', async () => {
  const opened = await adapter.open(await adapter.submit());
  await opened.body.toArray();
  expect(adapter.client.upstream.requests('content').at(-1)).toMatchObject({ hasKey: false });
});
