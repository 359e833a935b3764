import { describe, expect, test } from '@jest/globals';
import type { VideoCapabilities } from '../../../domain/catalog/catalog.ts';
import { shapeContinuation } from '../../../domain/videos/video-continuation.ts';
import { shapeRequest, type ShapedRequest, type VideoRequest } from '../../../domain/videos/video-request.ts';
import { capabilities } from '../capabilities.ts';

const URL_A = 'https://example.com/a.png';
const REQUEST: VideoRequest = { model: 'a/b', prompt: 'x', previousJobId: 'gen-vid-1-aaaaaaaaaaaaaaaaaaaa' };
const ABLE = capabilities({
  resolutions: ['720p', '360p'],
  aspectRatios: ['16:9', '1:1'],
  durations: [4, 1, 8],
  sizes: ['1000x600'],
  frameImages: ['first_frame'],
  inputReferences: ['image'],
  continuation: true,
  promptOptional: true,
});
const PREVIOUS: ShapedRequest = {
  resolution: '360p',
  aspectRatio: '1:1',
  size: { width: 360, height: 360 },
  durationSeconds: 1,
  generateAudio: false,
};

function shape(request: Partial<VideoRequest>, able: Partial<VideoCapabilities> = {}, previous = PREVIOUS) {
  return shapeContinuation({ ...REQUEST, ...request }, previous, { ...ABLE, ...able }, 'acme');
}

function issuesOf(...args: Parameters<typeof shape>): string[] {
  const shaped = shape(...args);
  return 'issues' in shaped ? shaped.issues.map(({ path, message }) => `${path} ${message}`) : [];
}

describe('a continuation', () => {
  test("takes shape and duration from the earlier job instead of the model's defaults", () => {
    expect(shape({})).toEqual(PREVIOUS);
  });

  test('accepts the same shape again in any spelling', () => {
    const { resolution, aspectRatio, size, durationSeconds } = PREVIOUS;
    expect(shape({ resolution, aspectRatio, durationSeconds } as Partial<VideoRequest>)).toEqual(PREVIOUS);
    expect(shape({ size } as Partial<VideoRequest>)).toEqual(PREVIOUS);
  });

  test('keeps the size of an earlier job that has no names for it', () => {
    const previous = { size: { width: 1000, height: 600 }, durationSeconds: 4, generateAudio: false };
    expect(shape({}, {}, previous)).toEqual(previous);
    expect(issuesOf({ resolution: '720p' }, {}, previous)).toEqual([
      'body.resolution must match the size 1000x600: 720p makes 1200x720',
    ]);
  });

  test('accepts names that match the size of an earlier job without names', () => {
    const [size, sizes] = [{ width: 320, height: 180 }, ['320x180']];
    const previous = { size, durationSeconds: 4, generateAudio: false };
    expect(shape({ aspectRatio: '16:9' }, { sizes }, previous)).toEqual(previous);
    expect(shape({ size, aspectRatio: '16:9' }, { sizes }, previous)).toEqual(previous);
    expect(issuesOf({ aspectRatio: '1:1' }, { sizes }, previous)).toEqual([
      'body.aspect_ratio must match the size 320x180: 1:1 makes 720x720, 360x360',
    ]);
  });

  test("refuses a name of a shape when the earlier job's shape is unknown", () => {
    const previous = { durationSeconds: 4, generateAudio: false };
    expect(issuesOf({ aspectRatio: '1:1' }, {}, previous)).toEqual([
      'body.aspect_ratio cannot be chosen for a continuation',
    ]);
  });

  test('accepts another duration if the endpoint offers it for continuations', () => {
    expect(shape({ durationSeconds: 8 }, { continuationDuration: true })).toMatchObject({
      durationSeconds: 8,
    });
    expect(shape({}, { continuationDuration: true })).toMatchObject({ durationSeconds: 1 });
    expect(issuesOf({ durationSeconds: 5 }, { continuationDuration: true })).toEqual([
      'body.duration must be one of 4, 1, 8',
    ]);
  });

  test.each<[string, Partial<VideoRequest>, string]>([
    ['resolution', { resolution: '720p' }, 'body.resolution must be 360p, as in the job that is continued'],
    [
      'aspect ratio',
      { aspectRatio: '16:9' },
      'body.aspect_ratio must be 1:1, as in the job that is continued',
    ],
    [
      'size',
      { size: { width: 1280, height: 720 } },
      'body.size must be 360x360, as in the job that is continued',
    ],
    [
      'size that is near',
      { size: { width: 361, height: 360 } },
      'body.size must be 360x360, as in the job that is continued',
    ],
    ['duration', { durationSeconds: 8 }, 'body.duration must be 1, as in the job that is continued'],
  ])("refuses another %s than the earlier job's", (_, request, issue) => {
    expect(issuesOf(request)).toEqual([issue]);
  });

  test('refuses frame images and image references', () => {
    const frameImages = [{ url: URL_A, frameType: 'first_frame' as const }];
    const inputReferences = [
      { kind: 'audio' as const, url: URL_A },
      { kind: 'image' as const, url: URL_A },
    ];
    const rule = 'is not supported with previous_job_id: the provider starts from the finished video';
    expect(issuesOf({ frameImages, inputReferences })).toEqual([
      `body.frame_images ${rule}`,
      `body.input_references.1 ${rule}`,
    ]);
  });

  test('requires a prompt even if the model can work from an image alone', () => {
    const { prompt: _, ...silent } = REQUEST;
    expect(shapeContinuation(silent, PREVIOUS, ABLE, 'acme')).toEqual({
      issues: [{ path: 'body.prompt', message: 'is required by this model' }],
    });
  });

  test('reports all issues at once', () => {
    expect(issuesOf({ resolution: '720p', durationSeconds: 8, creativity: 3 })).toHaveLength(3);
  });

  test('reports only body.previous_job_id when the endpoint cannot continue jobs', () => {
    expect(issuesOf({ resolution: '720p' }, { continuation: false })).toEqual([
      'body.previous_job_id this model cannot continue an earlier job',
    ]);
  });
});

test("a request without an earlier job gets the model's default shape", () => {
  expect(shapeRequest({ model: 'a/b', prompt: 'x' }, ABLE, 'acme')).toMatchObject({ resolution: '720p' });
});
