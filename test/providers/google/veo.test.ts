import { afterEach, describe, expect, test } from '@jest/globals';
import type { VideoStatus, VideoSubmitRequest } from '../../../providers/video-adapter.ts';
import { jsonReply } from '../../../upstream/reply.ts';
import { describeLacks } from '../adapter-submit.ts';
import { describeVideoPromises } from '../adapter-suite.ts';
import { type GoogleUpstream, startVertexUpstream } from './upstream.ts';
import { MP4, VEO } from './video-jobs.ts';

const PNG = 'data:image/png;base64,AAAA';
const GIF = 'data:image/gif;base64,AAAA';
const PICTURE = { bytesBase64Encoded: 'AAAA', mimeType: 'image/png' };
const FIRST = { url: PNG, frameType: 'first_frame' } as const;
const LAST = { url: PNG, frameType: 'last_frame' } as const;

const adapter = describeVideoPromises('google-vertex', {
  start: startVertexUpstream,
  model: VEO,
  running: { state: 'running', vendorStatus: 'running' },
  failedStatus: 'code_13',
  afterCancel: 'not_offered',
});
const vendor = () => adapter.client as GoogleUpstream;

afterEach(() => vendor().videos.answerWith(undefined));

describe('a request for a prediction of Veo', () => {
  test('has the documented fields, and a bearer token', async () => {
    await adapter.submit({
      durationSeconds: 8,
      resolution: '1080p',
      aspectRatio: '9:16',
      seed: 7,
      generateAudio: false,
      passthrough: { negativePrompt: 'rain', sampleCount: 4 },
      frameImages: [LAST, FIRST],
    });
    expect(vendor().videos.list().at(-1)?.body).toEqual({
      instances: [{ prompt: 'A lighthouse', image: PICTURE, lastFrame: PICTURE }],
      parameters: {
        sampleCount: 1,
        durationSeconds: 8,
        resolution: '1080p',
        aspectRatio: '9:16',
        seed: 7,
        generateAudio: false,
        negativePrompt: 'rain',
      },
    });
  });

  test('has references as assets', async () => {
    await adapter.submit({ inputReferences: [{ kind: 'image', url: PNG }] });
    const referenceImages = [{ image: PICTURE, referenceType: 'asset' }];
    expect(vendor().videos.list().at(-1)?.body).toEqual({
      instances: [{ prompt: 'A lighthouse', referenceImages }],
      parameters: { sampleCount: 1 },
    });
  });

  test.each<[string, Partial<VideoSubmitRequest>]>([
    ['frame_images.0', { frameImages: [{ ...LAST, url: GIF }, FIRST] }],
    ['frame_images.1', { frameImages: [LAST, { ...FIRST, url: GIF }] }],
    ['input_references.1', { inputReferences: [PNG, GIF].map((url) => ({ kind: 'image', url })) }],
  ])('fails with an error that names the picture that Veo does not take: %s', async (field, request) => {
    const issue = { path: `body.${field}.image_url.url` };
    expect(await adapter.failure(adapter.submit(request))).toMatchObject({ issue });
  });

  describeLacks(adapter, [
    ['a continuation', { previousOperation: { id: 'p' } }],
    ['an Omni model in its region', { upstreamModel: 'gemini-omni-1.2-flash' }],
    ['a last frame alone', { frameImages: [LAST] }],
    ['frames beside references', { frameImages: [FIRST], inputReferences: [{ kind: 'image', url: PNG }] }],
  ]);
});

describe('an operation of Veo that has ended', () => {
  async function statusWith(fields: object): Promise<VideoStatus> {
    vendor().videos.answerWith((made) => jsonReply(200, { ...made, ...fields }));
    return adapter.connect().status(await adapter.submit(), adapter.newContext());
  }
  const filtered = { state: 'failed', vendorStatus: 'content_filtered' };

  test.each<[string, object, object]>([
    [
      'reasons of a filter',
      {
        response: { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['It shows a face. Code: 29310472'] },
      },
      { ...filtered, publicMessage: 'It shows a face. Code: 29310472' },
    ],
    ['no videos and no reasons', { response: { videos: [] } }, filtered],
    ['no answer', { response: undefined }, { ...filtered, publicMessage: 'The provider filtered the video' }],
    ['an error with a code as text', { error: { code: '4', message: 'Late' } }, { state: 'expired' }],
    ['an error without words', { error: {} }, { state: 'failed', vendorStatus: 'code_unknown' }],
    [
      'an unknown field',
      { response: { videos: [{ gcsUri: 'gs://b-1/a.mp4', surprise: 1 }], surprise: [] } },
      { state: 'completed', outputs: [{ index: 0, location: 'gs://b-1/a.mp4' }] },
    ],
  ])('becomes the state of the job: %s', async (_, fields, status) => {
    expect(await statusWith(fields)).toMatchObject(status);
  });

  test('has a video in base64, which is decoded as it arrives', async () => {
    const videos = [{ bytesBase64Encoded: MP4.toString('base64'), mimeType: 'video/mp4' }];
    vendor().videos.answerWith((made) => jsonReply(200, { ...made, response: { videos } }));
    const { body } = await adapter.open(await adapter.submit());
    expect(Buffer.concat(await body.toArray()).equals(MP4)).toBe(true);
  });

  test('fails to open a location outside of a bucket, without a request', async () => {
    const videos = [{ gcsUri: 'http://169.254.169.254/latest' }];
    vendor().videos.answerWith((made) => jsonReply(200, { ...made, response: { videos } }));
    const before = vendor().upstream.requests('content').length;
    const work = adapter.open(await adapter.submit());
    expect(await adapter.failure(work)).toMatchObject({ code: 'invalid_response' });
    expect(vendor().upstream.requests('content')).toHaveLength(before);
  });
});
