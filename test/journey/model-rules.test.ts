import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let caller: Caller;

beforeAll(async () => {
  // As in production: no private address is open, and plain http goes nowhere.
  gateway = await startGateway({ env: { OUTBOUND_ALLOW: '' } });
  caller = createCaller(gateway.origin, gateway.apiKey);
});

afterAll(async () => {
  await gateway.close();
});

const CLIP = { model: 'local/clip-1', prompt: 'a test' };
const CANNED = { model: 'local/clip-canned', prompt: 'a test' };
const imageAt = (url: string) => ({ type: 'image_url', image_url: { url } });
const firstFrame = { ...imageAt('data:image/png;base64,iVBORw0KGgo='), frame_type: 'first_frame' };

/** What the model cannot do, the path that the answer must name, and a part of the rule. */
const BEYOND: [body: object, path: string, rule: string][] = [
  [{ ...CANNED, prompt: undefined }, 'body.prompt', 'is required by this model'],
  [{ ...CANNED, prompt: '' }, 'body.prompt', 'is required by this model'],
  [{ ...CLIP, prompt: '' }, 'body.prompt', 'is required unless an image or video is given'],
  [{ ...CLIP, duration: 9 }, 'body.duration', 'must be one of 4, 1, 2, 3, 5, 6, 7, 8'],
  [{ ...CANNED, duration: 4 }, 'body.duration', 'must be one of 1'],
  [{ ...CLIP, resolution: '4K' }, 'body.resolution', 'must be one of 360p, 480p, 720p, 1080p'],
  [{ ...CANNED, resolution: '720p' }, 'body.resolution', 'is not supported by this model'],
  [{ ...CANNED, aspect_ratio: '16:9' }, 'body.aspect_ratio', 'is not supported by this model'],
  [{ ...CLIP, size: '1000x1000' }, 'body.size', 'must be one of 640x360'],
  [{ ...CLIP, size: '641x361' }, 'body.size', '(36 in all): the pixels of a resolution and an aspect_ratio'],
  [{ ...CANNED, size: '640x360' }, 'body.size', 'must be one of 320x180'],
  [{ ...CANNED, size: '321x180' }, 'body.size', 'must be one of 320x180'],
  [{ ...CLIP, size: '640x360', resolution: '720p' }, 'body.resolution', '720p makes 1280x720'],
  [{ ...CLIP, size: '640x360', aspect_ratio: '9:16' }, 'body.aspect_ratio', '9:16 makes 360x640'],
  [{ ...CLIP, size: '640x360', resolution: '360p', aspect_ratio: '1:1' }, 'body.aspect_ratio', '1:1 makes'],
  [{ ...CANNED, frame_images: [firstFrame] }, 'body.frame_images.0.frame_type', 'takes no frames'],
  [
    { ...CLIP, frame_images: [firstFrame, firstFrame] },
    'body.frame_images.1.frame_type',
    'first_frame is given twice',
  ],
  [
    { ...CLIP, input_references: [imageAt('https://images.example.com/a.png')] },
    'body.input_references.0',
    'this model takes no reference images',
  ],
  [{ ...CLIP, generate_audio: true }, 'body.generate_audio', 'this model makes no audio'],
  [{ ...CLIP, creativity: 3 }, 'body.creativity', 'is taken by upscaling models only'],
  [{ ...CLIP, upscale_factor: 2 }, 'body.upscale_factor', 'is taken by upscaling models only'],
  [
    { ...CLIP, provider: { options: { local: { model: 'clip-canned' } } } },
    'body.provider.options.local.model',
    'must be one of faults',
  ],
];

describe('POST /videos with something that the model cannot do', () => {
  const cases = BEYOND.map(([body, path, rule]) => ({ body, path, rule }));
  test.each(cases)('refuses $path: $rule', async ({ body, path, rule }) => {
    expect(await errorOf(await caller.call('POST', '/videos', { body }))).toEqual({
      code: 400,
      message: 'Invalid request parameters',
      metadata: {
        reason: 'invalid_request',
        retryable: false,
        issues: [{ path, message: expect.stringContaining(rule) }],
      },
    });
  });

  test('names all violations at once, refused URLs included', async () => {
    const body = {
      ...CLIP,
      duration: 9,
      size: '640x360',
      resolution: '720p',
      generate_audio: true,
      callback_url: 'https://10.0.0.1/hook',
      frame_images: [{ ...imageAt('https://192.168.0.9/a.png'), frame_type: 'first_frame' }],
    };
    const { metadata } = await errorOf(await caller.call('POST', '/videos', { body }));
    expect(metadata.issues?.map(({ path }) => path).toSorted()).toEqual([
      'body.callback_url',
      'body.duration',
      'body.frame_images.0.image_url.url',
      'body.generate_audio',
      'body.resolution',
    ]);
  });

  test.each(['local/none', 'none', 'LOCAL/CLIP-1', '__proto__', 'local/clip-1 '])(
    'answers 404 to the unknown model %j',
    async (model) => {
      const response = await caller.call('POST', '/videos', { body: { ...CLIP, model } });
      expect(await errorOf(response)).toEqual({
        code: 404,
        message: 'Resource not found',
        metadata: {
          reason: 'model_not_found',
          retryable: false,
          issues: [
            {
              path: 'body.model',
              message: expect.stringContaining(`${model} is not a model that this deployment can reach. `),
            },
          ],
          ...(/clip/i.test(model) ? { nearest_models: expect.arrayContaining(['local/clip-1']) } : {}),
        },
      });
    },
  );
});

const REFUSED_URLS: [url: string, why: string][] = [
  ['https://10.0.0.1/hook', 'leads to an address that is not allowed'],
  ['https://127.0.0.1/hook', 'leads to an address that is not allowed'],
  ['https://[::1]/hook', 'leads to an address that is not allowed'],
  ['https://[::ffff:192.168.1.1]/hook', 'leads to an address that is not allowed'],
  ['https://[64:ff9b::10.0.0.1]/hook', 'leads to an address that is not allowed'],
  ['https://100.64.0.1/hook', 'leads to an address that is not allowed'],
  ['https://0x7f.1/hook', 'leads to an address that is not allowed'],
  ['https://2130706433/hook', 'leads to an address that is not allowed'],
  ['https://169.254.169.254/latest/meta-data', 'leads to an address that is not allowed'],
  ['https://metadata.google.internal/', 'names a host that is not allowed'],
  ['https://METADATA.google.internal./', 'names a host that is not allowed'],
  ['https://localhost/hook', 'names a host that is not allowed'],
  ['https://db.internal/hook', 'names a host that is not allowed'],
  ['https://user:secret@hooks.example.com/', 'must not contain a user name or password'],
  ['http://hooks.example.com/', 'must use https'],
  ['http://93.184.215.14/hook', 'must use https'],
];

describe('POST /videos with a URL that must not be called', () => {
  test.each(REFUSED_URLS)('refuses the callback URL %s: it %s', async (url, why) => {
    const response = await caller.call('POST', '/videos', { body: { ...CLIP, callback_url: url } });
    const error = await errorOf(response);
    expect(error).toMatchObject({
      code: 400,
      metadata: { issues: [{ path: 'body.callback_url', message: expect.stringContaining(why) }] },
    });
    expect(JSON.stringify(error)).not.toContain('secret');
  });

  test.each([
    ['frame_images', [{ ...imageAt('https://10.0.0.1/a.png'), frame_type: 'first_frame' }], '0.image_url'],
    [
      'input_references',
      [
        { type: 'audio_url', audio_url: { url: 'https://sounds.example.com/a.mp3' } },
        { type: 'video_url', video_url: { url: 'https://169.254.169.254/a.mp4' } },
      ],
      '1.video_url',
    ],
  ])('refuses a private address in %s', async (field, value, place) => {
    const response = await caller.call('POST', '/videos', { body: { ...CLIP, [field]: value } });
    expect((await errorOf(response)).metadata.issues).toEqual([
      { path: `body.${field}.${place}.url`, message: expect.stringContaining('not allowed') },
    ]);
  });
});

test('no refused request writes a row or reaches the upstream', async () => {
  const { rows } = await gateway.database.query(
    'select (select count(*) from video_jobs) jobs, (select count(*) from remembered_answers) answers',
  );
  expect(rows).toEqual([{ jobs: '0', answers: '0' }]);
  expect(gateway.upstream.requests()).toEqual([]);
});
