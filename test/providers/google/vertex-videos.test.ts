/** Checks videos on Vertex AI. What its interactions have in common with the Gemini API is checked there. */
import { afterEach, describe, expect, test } from '@jest/globals';
import type { VideoSubmitRequest } from '../../../providers/video-adapter.ts';
import { jsonReply } from '../../../upstream/reply.ts';
import { eventually } from '../../support/eventually.ts';
import { describeLacks } from '../adapter-submit.ts';
import { describeVideoPromises } from '../adapter-suite.ts';
import { MP4 } from '../video-cloud.ts';
import {
  type GoogleUpstream,
  startGlobalVertex,
  startVertexUpstream,
  type VertexUpstream,
} from './upstream.ts';
import { VEO } from './video-jobs.ts';

const OMNI = 'gemini-omni-1.2-flash';
const [PNG, GIF] = ['data:image/png;base64,AAAA', 'data:image/gif;base64,AAAA'];
const FIRST = { url: PNG, frameType: 'first_frame' } as const;
const LAST = { url: PNG, frameType: 'last_frame' } as const;

describe('Veo on Vertex AI', () => {
  const adapter = describeVideoPromises('google-vertex', {
    start: startVertexUpstream,
    model: VEO,
    running: { state: 'running', vendorStatus: 'running' },
    failedStatus: 'code_13',
    afterCancel: 'not_offered',
  });
  const vendor = () => adapter.client as GoogleUpstream;
  afterEach(() => (vendor().videos.answer = undefined));

  /** Submits a job that is answered with these fields once it is made. */
  function submitted(fields: object) {
    vendor().videos.answer = (made) => jsonReply(200, { ...made, ...fields });
    return adapter.submit();
  }

  const picture = { bytesBase64Encoded: 'AAAA', mimeType: 'image/png' };
  const named = {
    aspectRatio: '9:16',
    resolution: '1080p',
    durationSeconds: 8,
    seed: 7,
    generateAudio: false,
  };
  const options = { negativePrompt: 'rain', sampleCount: 4 };

  test.each<[string, Partial<VideoSubmitRequest>, object, object]>([
    [
      'frames and options',
      { ...named, passthrough: options, frameImages: [LAST, FIRST] },
      { image: picture, lastFrame: picture },
      { ...named, negativePrompt: 'rain' },
    ],
    [
      'references',
      { inputReferences: [{ kind: 'image', url: PNG }] },
      { referenceImages: [{ image: picture, referenceType: 'asset' }] },
      {},
    ],
  ])('has the documented fields of a request: %s', async (_, request, instance, parameters) => {
    await adapter.submit(request);
    expect(vendor().videos.list().at(-1)?.body).toEqual({
      instances: [{ prompt: 'A lighthouse', ...instance }],
      parameters: { sampleCount: 1, ...parameters },
    });
  });

  test.each<[string, Partial<VideoSubmitRequest>]>([
    ['frame_images.0', { frameImages: [{ ...LAST, url: GIF }, FIRST] }],
    ['frame_images.1', { frameImages: [LAST, { ...FIRST, url: GIF }] }],
    ['input_references.1', { inputReferences: [PNG, GIF].map((url) => ({ kind: 'image', url })) }],
  ])('fails with an error that names the picture that it does not take: %s', async (field, request) => {
    const issue = { path: `body.${field}.image_url.url` };
    expect(await adapter.failure(adapter.submit(request))).toMatchObject({ issue });
  });

  describeLacks(adapter, [
    ['a continuation', { previousOperation: { id: 'p' } }],
    ['an Omni model in its region', { upstreamModel: OMNI }],
  ]);

  const filtered = { state: 'failed', vendorStatus: 'content_filtered' };
  const unsaid = { ...filtered, publicMessage: 'The provider filtered the video' };
  const face = 'It shows a face. Code: 29310472';
  const video = { gcsUri: 'gs://b-1/a.mp4', surprise: 1 };
  const made = { state: 'completed', outputs: [{ index: 0, location: 'gs://b-1/a.mp4' }] };

  test.each<[string, object, object]>([
    ['reasons', { response: { raiMediaFilteredReasons: [face] } }, { ...filtered, publicMessage: face }],
    ['a long reason', { response: { raiMediaFilteredReasons: ['A'.repeat(5_000)] } }, unsaid],
    ['no videos and no reasons', { response: { videos: [] } }, unsaid],
    ['no answer', { response: undefined }, unsaid],
    ['an error with a code as text', { error: { code: '4', message: 'Late' } }, { state: 'expired' }],
    ['an error without words', { error: {} }, { state: 'failed', vendorStatus: 'code_unknown' }],
    ['an unknown field', { response: { videos: [video], surprise: [] } }, made],
  ])('has the state of an operation that ended with %s', async (_, fields, status) => {
    expect(await adapter.ended(await submitted(fields))).toMatchObject(status);
  });

  test('opens a video in base64 within the answer', async () => {
    const videos = [{ bytesBase64Encoded: MP4.toString('base64'), mimeType: 'video/mp4' }];
    const file = await adapter.file(await submitted({ response: { videos } }));
    expect(file.equals(MP4)).toBe(true);
  });

  test('certainly has no job when a submission stops while it waits for a token', async () => {
    const { tokens } = adapter.client as VertexUpstream;
    const { promise, resolve } = Promise.withResolvers<void>();
    tokens.waitFor(promise);
    const before = tokens.asked();
    const stop = new AbortController();
    const work = adapter.connect().submit(adapter.newRequest(), adapter.newContext(stop.signal));
    const failure = adapter.failure(work);
    await eventually('the request for a token', async () => (tokens.asked() > before ? true : undefined));
    stop.abort();
    expect(await failure).toMatchObject({ sent: false });
    resolve();
  });

  test('fails to open a location outside of a bucket, without a request', async () => {
    const videos = [{ gcsUri: 'http://169.254.169.254/latest' }];
    const before = vendor().upstream.requests('content').length;
    const work = adapter.open(await submitted({ response: { videos } }));
    expect(await adapter.failure(work)).toMatchObject({ code: 'invalid_response' });
    expect(vendor().upstream.requests('content')).toHaveLength(before);
  });
});

describe('Omni on Vertex AI', () => {
  const adapter = describeVideoPromises('google-vertex', {
    start: startGlobalVertex,
    model: OMNI,
    running: { state: 'running', vendorStatus: 'in_progress' },
    failedStatus: 'bad_luck',
    afterCancel: 'not_offered',
  });

  test('takes the form of a video in a list, and is asked for no file', async () => {
    await adapter.submit({ durationSeconds: 8, resolution: '4K', aspectRatio: '9:16' });
    const form = { type: 'video', duration: '8s', resolution: '4k', aspect_ratio: '9:16' };
    const { videos } = adapter.client as GoogleUpstream;
    expect(videos.list().at(-1)?.body).toMatchObject({ model: OMNI, response_format: [form] });
  });
});
