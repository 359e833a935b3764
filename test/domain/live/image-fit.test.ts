import { describe, expect, test } from '@jest/globals';
import { fitImages, megapixelsOf } from '../../../domain/live/image-fit.ts';
import type { RequestedImages } from '../../../domain/live/image-request.ts';
import { imageCapabilities as able } from '../capabilities.ts';

const asked = (more: Partial<RequestedImages> = {}): RequestedImages => ({ n: 1, references: [], ...more });
const paths = (fit: ReturnType<typeof fitImages>) =>
  'issues' in fit ? fit.issues.map(({ path }) => path) : [];

describe('fitImages', () => {
  test('drops fields that the endpoint does not take', () => {
    const wish = asked({
      resolution: '1K',
      aspectRatio: '4:3',
      background: 'opaque',
      quality: 'high',
      compression: 5,
      seed: 1,
    });
    expect(fitImages(wish, able())).toEqual({ n: 1, outputFormat: 'png' });
  });

  test("picks the nearest of the endpoint's names, and none for a field not requested", () => {
    const names = able({ aspectRatios: ['1:1', '16:9'], resolutions: ['1K', '2K'] });
    expect(fitImages(asked(), names)).toEqual({ n: 1, outputFormat: 'png' });
    const ofRatio = { n: 1, outputFormat: 'png', aspectRatio: '16:9' };
    expect(fitImages(asked({ aspectRatio: '21:9' }), names)).toEqual(ofRatio);
    expect(fitImages(asked({ resolution: '4K' }), names)).toMatchObject({ resolution: '2K' });
  });

  test('picks the nearest of the listed sizes', () => {
    const sizes = able({ sizes: ['1024x1024', '1536x1024'] });
    expect(fitImages(asked({ aspectRatio: '16:9', resolution: '4K' }), sizes)).toMatchObject({
      size: { width: 1536, height: 1024 },
    });
  });

  test.each([
    ['max', ['low', 'medium', 'high'], 'high'],
    ['low', ['medium', 'high'], 'medium'],
    ['auto', ['low'], undefined],
    ['auto', ['auto', 'low'], 'auto'],
  ])('picks for quality %s from %j the value %s', (quality, qualities, given) => {
    const fit = fitImages(asked({ quality }), able({ qualities }));
    expect('quality' in fit ? fit.quality : undefined).toBe(given);
  });

  test('sends the compression only for formats that support it', () => {
    const formats = able({ outputFormats: ['png', 'webp'], compression: true });
    expect(fitImages(asked({ compression: 0 }), formats)).toEqual({ n: 1, outputFormat: 'png' });
    expect(fitImages(asked({ compression: 0, outputFormat: 'webp' }), formats)).toMatchObject({
      compression: 0,
    });
  });

  test('picks a format with transparency for a transparent background, else refuses body.background', () => {
    const wish = asked({ background: 'transparent' });
    const backgrounds = ['transparent'];
    expect(fitImages(wish, able({ outputFormats: ['jpeg', 'webp'], backgrounds }))).toMatchObject({
      outputFormat: 'webp',
      background: 'transparent',
    });
    expect(paths(fitImages(wish, able({ outputFormats: ['jpeg'], backgrounds })))).toEqual([
      'body.background',
    ]);
  });

  test("caps n at the endpoint's maximum, and refuses n above 1 for single-image endpoints", () => {
    expect(fitImages(asked({ n: 8 }), able({ maxImages: 4 }))).toMatchObject({ n: 4 });
    expect(paths(fitImages(asked({ n: 2 }), able()))).toEqual(['body.n']);
  });

  test('reports all the issues of a request at once', () => {
    const wish = asked({ n: 2, references: ['a'], background: 'transparent', outputFormat: 'svg' });
    expect(paths(fitImages(wish, able()))).toEqual([
      'body.n',
      'body.input_references',
      'body.background',
      'body.output_format',
    ]);
  });
});

test('an image of unknown size counts as a square of 1K', () => {
  expect(megapixelsOf({})).toBe(1.048576);
  expect(megapixelsOf({ resolution: '2K' })).toBe(4.194304);
  expect(megapixelsOf({ size: { width: 1000, height: 500 } })).toBe(0.5);
});
