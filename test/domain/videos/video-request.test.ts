import { describe, expect, test } from '@jest/globals';
import type { VideoCapabilities } from '../../../domain/catalog/catalog.ts';
import { shapeRequest, type VideoRequest } from '../../../domain/videos/video-request.ts';
import { capabilities } from '../capabilities.ts';

const URL_A = 'https://example.com/a.png';

function issuesOf(request: Partial<VideoRequest>, able: Partial<VideoCapabilities> = {}): string[] {
  const shaped = shapeRequest({ model: 'a/b', prompt: 'x', ...request }, capabilities(able), 'acme');
  return 'issues' in shaped ? shaped.issues.map(({ path, message }) => `${path} ${message}`) : [];
}

describe('shapeRequest', () => {
  test.each<[string, Partial<VideoRequest>, Partial<VideoCapabilities>, string]>([
    ['a duration', { durationSeconds: 5 }, { durations: [4, 8] }, 'body.duration must be one of 4, 8'],
    ['a duration at all', { durationSeconds: 5 }, {}, 'body.duration is not supported by this model'],
    [
      'a last frame',
      { frameImages: [{ url: URL_A, frameType: 'last_frame' }] },
      { frameImages: ['first_frame'] },
      'body.frame_images.0.frame_type must be one of first_frame',
    ],
    [
      'the same frame twice',
      {
        frameImages: [
          { url: URL_A, frameType: 'first_frame' },
          { url: URL_A, frameType: 'first_frame' },
        ],
      },
      { frameImages: ['first_frame'] },
      'body.frame_images.1.frame_type first_frame is given twice',
    ],
    [
      'a reference image',
      { inputReferences: [{ kind: 'image', url: URL_A }] },
      {},
      'body.input_references.0 this model takes no reference images',
    ],
    ['audio', { generateAudio: true }, {}, 'body.generate_audio this model makes no audio'],
    [
      'continuation',
      { previousJobId: 'x' },
      {},
      'body.previous_job_id this model cannot continue an earlier job',
    ],
    ['creativity', { creativity: 3 }, { creativity: [1, 2] }, 'body.creativity must be one of 1, 2'],
    [
      'an upscale factor',
      { upscaleFactor: 9 },
      { upscaleFactor: { min: 1, max: 4 } },
      'body.upscale_factor must be from 1 to 4',
    ],
    ['any upscale factor', { upscaleFactor: 2 }, {}, 'body.upscale_factor is taken by upscaling models only'],
    [
      'an option',
      { passthrough: { acme: { speed: 1 } } },
      { passthroughParameters: ['style'] },
      'body.provider.options.acme.speed must be one of style',
    ],
  ])(
    'refuses %s that the endpoint does not support, and lists what it supports',
    (_, request, able, issue) => {
      expect(issuesOf(request, able)).toEqual([issue]);
    },
  );

  test('requires a prompt unless a given image suffices for the model', () => {
    const shape = (able: Partial<VideoCapabilities>, request: Partial<VideoRequest>) =>
      shapeRequest({ model: 'a/b', ...request }, capabilities(able), 'acme');
    const frame: Partial<VideoRequest> = { frameImages: [{ url: URL_A, frameType: 'first_frame' }] };
    const able: Partial<VideoCapabilities> = { frameImages: ['first_frame'], promptOptional: true };
    expect(shape(able, frame)).not.toHaveProperty('issues');
    expect(shape(able, {})).toHaveProperty('issues');
    expect(shape({ ...able, promptOptional: false }, frame)).toHaveProperty('issues');
  });

  test('reports every broken rule at once', () => {
    expect(issuesOf({ durationSeconds: 5, generateAudio: true, creativity: 1 })).toHaveLength(3);
  });

  test('accepts any options of other providers', () => {
    expect(issuesOf({ passthrough: { other: { anything: 1 } } })).toEqual([]);
  });

  test('ignores audio references when the endpoint does not support them', () => {
    expect(issuesOf({ inputReferences: [{ kind: 'audio', url: URL_A }] })).toEqual([]);
  });

  test('defaults to the first duration and to the audio that the endpoint makes', () => {
    const able = capabilities({ durations: [4, 8], generateAudio: true });
    expect(shapeRequest({ model: 'a/b', prompt: 'x' }, able, 'acme')).toEqual({
      durationSeconds: 4,
      generateAudio: true,
    });
  });
});
