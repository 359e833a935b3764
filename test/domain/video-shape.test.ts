import { describe, expect, test } from '@jest/globals';
import { formatSize, parseSize, resolveShape, sizeOf, supportedSizes } from '../../domain/video-shape.ts';
import { capabilities } from './capabilities.ts';

describe('sizeOf', () => {
  test.each([
    ['360p', '16:9', '640x360'],
    ['360p', '9:16', '360x640'],
    ['480p', '16:9', '854x480'],
    ['720p', '1:1', '720x720'],
    ['720p', '21:9', '1680x720'],
    ['1080p', '4:3', '1440x1080'],
    ['4K', '16:9', '3840x2160'],
  ])('%s at %s is %s', (resolution, ratio, size) => {
    expect(formatSize(sizeOf(resolution, ratio)!)).toBe(size);
  });
});

describe('resolveShape', () => {
  const able = capabilities({ resolutions: ['360p', '720p'], aspectRatios: ['16:9', '9:16'] });

  test('names and size are interchangeable', () => {
    const byNames = resolveShape({ resolution: '720p', aspectRatio: '9:16' }, able);
    const bySize = resolveShape({ size: { width: 720, height: 1280 } }, able);
    expect(byNames).toEqual(bySize);
    expect(bySize).toEqual({ resolution: '720p', aspectRatio: '9:16', size: { width: 720, height: 1280 } });
  });

  test('fills in the defaults of the model', () => {
    expect(resolveShape({}, able)).toEqual({
      resolution: '360p',
      aspectRatio: '16:9',
      size: { width: 640, height: 360 },
    });
    expect(resolveShape({ aspectRatio: '9:16' }, able)).toMatchObject({ resolution: '360p' });
  });

  test('takes a size that agrees with the given name', () => {
    expect(resolveShape({ size: { width: 640, height: 360 }, aspectRatio: '16:9' }, able)).toMatchObject({
      resolution: '360p',
    });
  });

  test.each([{ resolution: '720p' }, { aspectRatio: '9:16' }, { resolution: '720p', aspectRatio: '16:9' }])(
    'refuses 640x360 with %o as a contradiction',
    (names) => {
      const resolved = resolveShape({ size: { width: 640, height: 360 }, ...names }, able);
      expect(resolved).toEqual({
        issues: [{ path: 'body.size', message: expect.stringContaining('contradicts') }],
      });
    },
  );

  test('refuses a size the model does not make and lists those it does', () => {
    expect(resolveShape({ size: { width: 100, height: 100 } }, able)).toEqual({
      issues: [{ path: 'body.size', message: 'must be one of 640x360, 360x640, 1280x720, 720x1280' }],
    });
  });

  test('forgives a pixel of rounding, as vendors round differently', () => {
    const p480 = capabilities({ resolutions: ['480p'], aspectRatios: ['16:9'] });
    expect(resolveShape({ size: { width: 853, height: 480 } }, p480)).toMatchObject({
      size: { width: 854, height: 480 },
    });
  });

  test('names every parameter that is not listed', () => {
    expect(resolveShape({ resolution: '4K', aspectRatio: '1:1' }, able)).toEqual({
      issues: [
        { path: 'body.resolution', message: 'must be one of 360p, 720p' },
        { path: 'body.aspect_ratio', message: 'must be one of 16:9, 9:16' },
      ],
    });
  });

  test('takes an exact size that the model lists beyond its names', () => {
    const exact = capabilities({ sizes: ['1792x1024'] });
    expect(resolveShape({ size: { width: 1792, height: 1024 } }, exact)).toEqual({
      size: { width: 1792, height: 1024 },
    });
    expect(supportedSizes(exact)).toEqual(['1792x1024']);
  });
});

describe('parseSize', () => {
  test.each(['0x10', '10', '10x', 'x10', '1.5x10', '-1x10', '10x10x10', '100000x10', ' 10x10'])(
    'refuses %p',
    (text) => {
      expect(parseSize(text)).toBeUndefined();
    },
  );
});
