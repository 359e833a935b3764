import { describe, expect, test } from '@jest/globals';
import { describeIssue, issuesOf } from '../../../contract/issues.ts';
import { videoRequest } from '../../../contract/videos/video-request.ts';

function issuesFor(body: unknown): { path: string; message: string }[] {
  const result = videoRequest.safeParse(body, { error: describeIssue });
  return result.success ? [] : issuesOf('body', result.error);
}

const model = 'local/sketch';
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
const frame = (url: string) => ({ type: 'image_url', image_url: { url }, frame_type: 'first_frame' });
const notText = 'must be Unicode text without NUL';
const notHttp = 'must be an absolute http or https URL';

describe('the check of a video request', () => {
  test.each<[string, unknown, string, string]>([
    ['no object', [], 'body', 'must be an object'],
    ['no model', {}, 'body.model', 'is required'],
    ['an empty model', { model: '' }, 'body.model', 'must not be empty'],
    ['a NUL', { model, prompt: 'a\0b' }, 'body.prompt', notText],
    ['half a surrogate pair', { model, prompt: '\ud800' }, 'body.prompt', notText],
    ['a number', { model, prompt: 1 }, 'body.prompt', 'must be a string'],
    [
      'an unknown ratio',
      { model, aspect_ratio: '5:4' },
      'body.aspect_ratio',
      'must be one of 16:9, 9:16, 1:1, 4:3, 3:4, 3:2, 2:3, 21:9, 9:21',
    ],
    [
      'an unknown resolution',
      { model, resolution: '8K' },
      'body.resolution',
      'must be one of 360p, 480p, 720p, 768p, 1080p, 1K, 2K, 4K',
    ],
    ['no time', { model, duration: 0 }, 'body.duration', 'must be at least 1'],
    ['half a second', { model, duration: 1.5 }, 'body.duration', 'must be a whole number'],
    ['a duration in words', { model, duration: '4' }, 'body.duration', 'must be a number'],
    [
      'a size in words',
      { model, size: 'big' },
      'body.size',
      'must be WIDTHxHEIGHT in pixels, such as 1280x720',
    ],
    [
      'a size beyond bounds',
      { model, size: '16385x720' },
      'body.size',
      'must have sides of 16 to 16384 pixels, without leading zeros',
    ],
    [
      'a padded size',
      { model, size: '01280x0720' },
      'body.size',
      'must have sides of 16 to 16384 pixels, without leading zeros',
    ],
    ['a fractional seed', { model, seed: 0.5 }, 'body.seed', 'must be a whole number'],
    ['a seed past exact integers', { model, seed: 2 ** 60 }, 'body.seed', 'must be at most 9007199254740991'],
    ['audio in words', { model, generate_audio: 'yes' }, 'body.generate_audio', 'must be true or false'],
    [
      'another id as a predecessor',
      { model, previous_job_id: 'gen-1' },
      'body.previous_job_id',
      'must be the id of a video job, gen-vid-<timestamp>-<20 alphanumerics>',
    ],
    ['no upscaling', { model, upscale_factor: 0 }, 'body.upscale_factor', 'must be more than 0'],
    ['half a creativity', { model, creativity: 0.5 }, 'body.creativity', 'must be a whole number'],
    ['a relative callback', { model, callback_url: '/hooks' }, 'body.callback_url', notHttp],
    ['another scheme', { model, callback_url: 'ftp://app.example.com' }, 'body.callback_url', notHttp],
    ['a callback without a host', { model, callback_url: 'https://' }, 'body.callback_url', notHttp],
    [
      'an endless callback',
      { model, callback_url: `https://app.example.com/${'a'.repeat(2048)}` },
      'body.callback_url',
      'must have at most 2048 characters',
    ],
    [
      'a long session',
      { model, session_id: 's'.repeat(257) },
      'body.session_id',
      'must have at most 256 characters',
    ],
    ['a long user', { model, user: '😀'.repeat(257) }, 'body.user', 'must have at most 256 characters'],
    [
      'an unknown frame',
      { model, frame_images: [{ ...frame('https://app.example.com/a.png'), frame_type: 'middle' }] },
      'body.frame_images.0.frame_type',
      'must be one of first_frame, last_frame',
    ],
    [
      'an unknown reference',
      { model, input_references: [{ type: 'file_url', file_url: { url: 'https://app.example.com/a' } }] },
      'body.input_references.0.type',
      'must be one of image_url, audio_url, video_url',
    ],
    [
      'media of another kind',
      { model, frame_images: [frame('data:audio/mpeg;base64,AAAA')] },
      'body.frame_images.0.image_url.url',
      'must be an http or https URL of at most 8192 characters, or a base64 data URL of type image/*',
    ],
    ['no trace object', { model, trace: 'x' }, 'body.trace', 'must be an object'],
    ['a numeric trace id', { model, trace: { trace_id: 1 } }, 'body.trace.trace_id', 'must be a string'],
    [
      'a NUL deep inside',
      { model, trace: { extra: { list: ['\0'] } } },
      'body.trace.extra.list.0',
      'must be Unicode text without NUL, names included',
    ],
    [
      'options that are no object',
      { model, provider: { options: { local: 1 } } },
      'body.provider.options.local',
      'must be an object',
    ],
  ])('refuses %s with its path and the rule', (_what, body, path, message) => {
    expect(issuesFor(body)).toEqual([{ path, message }]);
  });

  test('refuses an option group without a name', () => {
    const [issue] = issuesFor({ model, provider: { options: { '': {} } } });
    expect(issue).toEqual({
      path: 'body.provider.options.',
      message: 'has a field name that is not allowed',
    });
  });

  test('reports all broken rules at once', () => {
    const issues = issuesFor({ duration: 0, seed: 'x', provider: { options: { local: { a: '\0' } } } });
    expect(issues.map(({ path }) => path)).toEqual([
      'body.model',
      'body.duration',
      'body.seed',
      'body.provider.options.local.a',
    ]);
  });

  test('refuses 50,000 levels of nesting without exhausting the stack', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
    const [issue] = issuesFor({ model, trace: { deep } });
    expect(issue?.message).toBe('must not be nested deeper than 32 levels');
    expect(issuesFor({ model, trace: { deep: nested(20) } })).toEqual([]);
  });

  test('lists 100 broken rules and the number of the others', () => {
    const issues = issuesFor({ model, frame_images: Array.from({ length: 150 }, () => 1) });
    expect(issues).toHaveLength(101);
    expect(issues.at(-1)).toEqual({ path: 'body', message: 'breaks 50 more rules' });
  });
});

describe('a valid video request', () => {
  test.each([
    ['a model alone', { model }],
    ['256 characters of two units each', { model, user: '😀'.repeat(256) }],
    ['a negative seed', { model, seed: -1 }],
    ['an http callback, for the guard to judge', { model, callback_url: 'http://127.0.0.1:9/hook' }],
    ['a data URL', { model, frame_images: [frame('data:image/png;base64,iVBORw0KGgo=')] }],
    ['trace names of the caller', { model, trace: { trace_id: 't', campaign: { n: 1 } } }],
    ['vendor options', { model, provider: { options: { local: { style: 'ink', n: [1, null] } } } }],
  ])('keeps %s unchanged', (_what, body) => {
    expect(videoRequest.parse(body)).toEqual(body);
  });

  test('loses unknown fields', () => {
    expect(videoRequest.parse({ model, temperature: 1 })).toEqual({ model });
  });

  test('leaves prototypes untouched by `__proto__`', () => {
    const body = videoRequest.parse(
      JSON.parse(`{"model":"m","__proto__":{"prompt":"x"},"trace":{"__proto__":{"a":1}}}`),
    );
    expect(body.prompt).toBeUndefined();
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
    expect(Object.getPrototypeOf(body.trace)).toBe(Object.prototype);
  });
});
