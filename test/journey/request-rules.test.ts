import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Caller, createCaller, errorOf } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let caller: Caller;

beforeAll(async () => {
  gateway = await startGateway();
  caller = createCaller(gateway.origin, gateway.apiKey);
});

afterAll(async () => {
  await gateway.close();
});

const GOOD = { model: 'local/clip-1', prompt: 'a test' };
const GOOD_FRAME = {
  type: 'image_url',
  image_url: { url: 'https://images.example.com/a.png' },
  frame_type: 'first_frame',
};
const ASPECT_RATIOS = 'must be one of 16:9, 9:16, 1:1, 4:3, 3:4, 3:2, 2:3, 21:9, 9:21';
const RESOLUTIONS = 'must be one of 360p, 480p, 720p, 768p, 1080p, 1K, 2K, 4K';
const SIDES = 'must have sides of 16 to 16384 pixels, without leading zeros';
const JOB_ID = 'must be the id of a video job, gen-vid-<timestamp>-<20 alphanumerics>';
const PLAIN_TEXT = 'must be Unicode text without NUL';
const STORABLE = 'must be Unicode text without NUL, names included';
const IMAGE_URL =
  'must be an http or https URL of at most 8192 characters, or a base64 data URL of type image/*';
const AUDIO_URL = IMAGE_URL.replace('image/*', 'audio/*');
const HTTP_URL = 'must be an absolute http or https URL';

/** What is wrong with the body, the path that the answer must name, and the rule. */
const BROKEN: [body: Record<string, unknown>, path: string, message: string][] = [
  [{ model: undefined }, 'body.model', 'is required'],
  [{ model: null }, 'body.model', 'must be a string'],
  [{ model: ['local/clip-1'] }, 'body.model', 'must be a single string'],
  [{ model: '' }, 'body.model', 'must not be empty'],
  [{ model: 'm'.repeat(257) }, 'body.model', 'must have at most 256 characters'],
  [{ prompt: 7 }, 'body.prompt', 'must be a string'],
  [{ prompt: 'a\0b' }, 'body.prompt', PLAIN_TEXT],
  [{ prompt: 'half a \ud83d' }, 'body.prompt', PLAIN_TEXT],
  [{ aspect_ratio: '16:10' }, 'body.aspect_ratio', ASPECT_RATIOS],
  [{ aspect_ratio: 1 }, 'body.aspect_ratio', ASPECT_RATIOS],
  [{ resolution: '720P' }, 'body.resolution', RESOLUTIONS],
  [{ resolution: 'constructor' }, 'body.resolution', RESOLUTIONS],
  [{ size: '1280*720' }, 'body.size', 'must be WIDTHxHEIGHT in pixels, such as 1280x720'],
  [{ size: '0640x360' }, 'body.size', SIDES],
  [{ size: '640x15' }, 'body.size', SIDES],
  [{ size: '640x16385' }, 'body.size', SIDES],
  [{ duration: 0 }, 'body.duration', 'must be at least 1'],
  [{ duration: -4 }, 'body.duration', 'must be at least 1'],
  [{ duration: 1.5 }, 'body.duration', 'must be a whole number'],
  [{ duration: '4' }, 'body.duration', 'must be a number'],
  [{ seed: 0.5 }, 'body.seed', 'must be a whole number'],
  [{ seed: 2 ** 53 }, 'body.seed', `must be at most ${Number.MAX_SAFE_INTEGER}`],
  [{ generate_audio: 'yes' }, 'body.generate_audio', 'must be true or false'],
  [{ frame_images: GOOD_FRAME }, 'body.frame_images', 'must be a list'],
  [{ frame_images: [GOOD_FRAME, 'x'] }, 'body.frame_images.1', 'must be an object'],
  [
    { frame_images: [{ ...GOOD_FRAME, frame_type: 'middle_frame' }] },
    'body.frame_images.0.frame_type',
    'must be one of first_frame, last_frame',
  ],
  [
    { frame_images: [{ ...GOOD_FRAME, frame_type: undefined }] },
    'body.frame_images.0.frame_type',
    'is required and must be one of first_frame, last_frame',
  ],
  [{ frame_images: [{ ...GOOD_FRAME, type: 'text' }] }, 'body.frame_images.0.type', 'must be image_url'],
  [
    { frame_images: [{ ...GOOD_FRAME, image_url: undefined }] },
    'body.frame_images.0.image_url',
    'is required',
  ],
  [
    { frame_images: [{ ...GOOD_FRAME, image_url: { url: 'file:///etc/passwd' } }] },
    'body.frame_images.0.image_url.url',
    IMAGE_URL,
  ],
  [
    { input_references: [{ type: 'text', text: 'x' }] },
    'body.input_references.0.type',
    'must be one of image_url, audio_url, video_url',
  ],
  [
    { input_references: [{ type: 'audio_url', audio_url: { url: 'data:image/png;base64,AAAA' } }] },
    'body.input_references.0.audio_url.url',
    AUDIO_URL,
  ],
  [{ previous_job_id: 'gen-vid-1-short' }, 'body.previous_job_id', JOB_ID],
  [{ previous_job_id: "gen-vid-1-' or 1=1 --........" }, 'body.previous_job_id', JOB_ID],
  [{ upscale_factor: 0 }, 'body.upscale_factor', 'must be more than 0'],
  [{ creativity: 1.5 }, 'body.creativity', 'must be a whole number'],
  [{ callback_url: 'hooks.example.com' }, 'body.callback_url', HTTP_URL],
  [{ callback_url: 'ftp://hooks.example.com/' }, 'body.callback_url', HTTP_URL],
  [
    { callback_url: `https://hooks.example.com/${'p'.repeat(2048)}` },
    'body.callback_url',
    'must have at most 2048 characters',
  ],
  [{ session_id: 's'.repeat(257) }, 'body.session_id', 'must have at most 256 characters'],
  [{ user: 'u'.repeat(257) }, 'body.user', 'must have at most 256 characters'],
  [{ trace: 'x' }, 'body.trace', 'must be an object'],
  [{ trace: { trace_id: 5 } }, 'body.trace.trace_id', 'must be a string'],
  [{ trace: { other: ['a\0b'] } }, 'body.trace.other.0', STORABLE],
  [
    { trace: { deep: nested(40) } },
    `body.trace.deep${'.a'.repeat(32)}`,
    'must not be nested deeper than 32 levels',
  ],
  [{ provider: 'local' }, 'body.provider', 'must be an object'],
  [{ provider: { options: [] } }, 'body.provider.options', 'must be an object'],
  [{ provider: { options: { local: 5 } } }, 'body.provider.options.local', 'must be an object'],
];

function nested(levels: number): object {
  return levels === 0 ? {} : { a: nested(levels - 1) };
}

describe('POST /videos with a field that breaks a rule', () => {
  const cases = BROKEN.map(([fields, path, message]) => ({ fields, path, message }));
  test.each(cases)('refuses $path: $message', async ({ fields, path, message }) => {
    const response = await caller.call('POST', '/videos', { body: { ...GOOD, ...fields } });
    expect(await errorOf(response)).toEqual({
      code: 400,
      message: 'Invalid request parameters',
      metadata: { reason: 'invalid_request', retryable: false, issues: [{ path, message }] },
    });
  });

  test('names every violation at once, headers included', async () => {
    const response = await caller.call('POST', '/videos', {
      body: { prompt: 1, duration: 0, size: 'big', frame_images: [{}], user: 5 },
      headers: { 'x-session-id': 's'.repeat(257) },
    });
    const { metadata } = await errorOf(response);
    expect(metadata.issues?.map(({ path }) => path).toSorted()).toEqual([
      'body.duration',
      'body.frame_images.0.frame_type',
      'body.frame_images.0.image_url',
      'body.frame_images.0.type',
      'body.model',
      'body.prompt',
      'body.size',
      'body.user',
      'headers.x-session-id',
    ]);
  });

  test('names the first hundred of a thousand violations', async () => {
    const body = { ...GOOD, frame_images: Array.from({ length: 1_000 }, () => 0) };
    const { metadata } = await errorOf(await caller.call('POST', '/videos', { body }));
    expect(metadata.issues).toHaveLength(101);
    expect(metadata.issues?.at(-1)).toEqual({ path: 'body', message: 'breaks 900 more rules' });
  });
});

describe('POST /videos with a body that is not an object', () => {
  test.each([
    ['a list', '[]', 'body', 'must be an object'],
    ['null', 'null', 'body', 'must be an object'],
    ['nothing', '', 'body', 'must not be empty'],
    ['half an object', '{"model":', 'body', 'must be well-formed JSON'],
    [
      'an endless number',
      '{"model":"local/clip-1","prompt":"x","duration":1e999}',
      'body.duration',
      'must be a number',
    ],
  ])('refuses %s', async (_name, body, path, message) => {
    const response = await caller.call('POST', '/videos', { body });
    expect(await errorOf(response)).toMatchObject({ code: 400, metadata: { issues: [{ path, message }] } });
  });

  test('treats __proto__ and constructor as unknown fields', async () => {
    const body = `{"model":"local/none","prompt":"x","__proto__":{"duration":0},"constructor":1}`;
    expect(await errorOf(await caller.call('POST', '/videos', { body }))).toMatchObject({ code: 404 });
  });
});

test('no refused request writes a row or reaches the upstream', async () => {
  const { rows } = await gateway.database.query(
    'select (select count(*) from video_jobs) jobs, (select count(*) from remembered_answers) answers',
  );
  expect(rows).toEqual([{ jobs: '0', answers: '0' }]);
  expect(gateway.upstream.requests()).toEqual([]);
});
