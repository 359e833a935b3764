import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatSize, parseSize, type Shape } from '../../../domain/pixel-size.ts';
import { resolveShape, sizeOf, videoPixels } from '../../../domain/videos/video-shape.ts';
import { capabilities } from '../capabilities.ts';

describe('sizeOf', () => {
  test.each([
    ['360p', '16:9', '640x360'],
    ['360p', '9:16', '360x640'],
    ['480p', '16:9', '854x480'],
    ['720p', '1:1', '720x720'],
    ['720p', '21:9', '1680x720'],
    ['1080p', '4:3', '1440x1080'],
    ['4K', '16:9', '3840x2160'],
  ])('turns %s at %s into %s', (resolution, ratio, size) => {
    expect(formatSize(sizeOf(resolution, ratio)!)).toBe(size);
  });
});

describe('resolveShape', () => {
  const able = capabilities({ resolutions: ['360p', '720p'], aspectRatios: ['16:9', '9:16'] });

  test('gives the same shape for names and for the matching size', () => {
    const byNames = resolveShape({ resolution: '720p', aspectRatio: '9:16' }, able);
    const bySize = resolveShape({ size: { width: 720, height: 1280 } }, able);
    expect(byNames).toEqual(bySize);
    expect(bySize).toEqual({ resolution: '720p', aspectRatio: '9:16', size: { width: 720, height: 1280 } });
  });

  test("fills in the model's defaults", () => {
    expect(resolveShape({}, able)).toEqual({
      resolution: '360p',
      aspectRatio: '16:9',
      size: { width: 640, height: 360 },
    });
    expect(resolveShape({ aspectRatio: '9:16' }, able)).toMatchObject({ resolution: '360p' });
  });

  test('accepts a size that agrees with the given name', () => {
    expect(resolveShape({ size: { width: 640, height: 360 }, aspectRatio: '16:9' }, able)).toMatchObject({
      resolution: '360p',
    });
  });

  test.each<[Partial<Shape>, string, string]>([
    [{ resolution: '720p' }, 'resolution', '720p makes 1280x720'],
    [{ resolution: '720p', aspectRatio: '16:9' }, 'resolution', '720p makes 1280x720'],
    [{ aspectRatio: '9:16' }, 'aspect_ratio', '9:16 makes 360x640, 720x1280'],
    [{ resolution: '360p', aspectRatio: '9:16' }, 'aspect_ratio', '9:16 makes 360x640, 720x1280'],
  ])('refuses 640x360 with %o, which makes other sizes', (names, field, made) => {
    expect(resolveShape({ size: { width: 640, height: 360 }, ...names }, able)).toEqual({
      issues: [{ path: `body.${field}`, message: `must match the size 640x360: ${made}` }],
    });
  });

  test("refuses a size outside the model's list and names the listed sizes", () => {
    const rule =
      'must be one of 640x360, 360x640, 1280x720, 720x1280: the pixels of a resolution and an aspect_ratio';
    expect(resolveShape({ size: { width: 100, height: 100 } }, able)).toEqual({
      issues: [{ path: 'body.size', message: expect.stringContaining(rule) }],
    });
  });

  test.each(['641x360', '640x361', '638x360', '641x361'])('refuses %s, a size near 640x360', (size) => {
    expect(resolveShape({ size: parseSize(size)! }, able)).toMatchObject({
      issues: [{ path: 'body.size' }],
    });
  });

  test('rounds the longer side to an even number, and accepts no other rounding', () => {
    const p480 = capabilities({ resolutions: ['480p'], aspectRatios: ['16:9'] });
    expect(resolveShape({ size: { width: 854, height: 480 } }, p480)).toMatchObject({ resolution: '480p' });
    expect(resolveShape({ size: { width: 853, height: 480 } }, p480)).toHaveProperty('issues');
    expect(videoPixels(p480).sizeDescription).toMatch(/^one of 854x480: .* rounded to an even number$/);
  });

  test("refuses a size when the model's names do not make one", () => {
    const ratios = capabilities({ aspectRatios: ['16:9'] });
    expect(resolveShape({ size: { width: 1280, height: 720 } }, ratios)).toEqual({
      issues: [{ path: 'body.size', message: 'is not supported by this model' }],
    });
  });

  test("reports every parameter that is not in the model's lists", () => {
    expect(resolveShape({ resolution: '4K', aspectRatio: '1:1' }, able)).toEqual({
      issues: [
        { path: 'body.resolution', message: 'must be one of 360p, 720p' },
        { path: 'body.aspect_ratio', message: 'must be one of 16:9, 9:16' },
      ],
    });
  });

  test('accepts a listed exact size, beside names that match it', () => {
    const exact = capabilities({ sizes: ['1920x1080', '1792x1024'], aspectRatios: ['16:9'] });
    const size = { width: 1920, height: 1080 };
    expect(resolveShape({ size, aspectRatio: '16:9' }, exact)).toEqual({ size });
    expect(resolveShape({ size: { width: 1792, height: 1024 } }, exact)).toEqual({
      size: { width: 1792, height: 1024 },
    });
    expect(resolveShape({ size: { width: 1792, height: 1024 }, aspectRatio: '16:9' }, exact)).toMatchObject({
      issues: [{ path: 'body.aspect_ratio' }],
    });
    expect(videoPixels(exact)).toMatchObject({
      sizes: exact.sizes,
      sizeDescription: 'one of 1920x1080, 1792x1024',
    });
  });
});

describe('a size that the endpoint lists', () => {
  test.each<[string, Shape]>([
    ['320x180', { aspectRatio: '16:9' }],
    ['320x180', { resolution: '360p' }],
    ['854x480', { resolution: '480p', aspectRatio: '16:9' }],
    ['854x480', { aspectRatio: '4:3' }],
  ])('accepts only names that match it, listed or not: %s with %j', (text, names) => {
    const size = parseSize(text)!;
    const own = { sizes: ['320x180', '854x480'] };
    const matches = names.resolution !== '360p' && names.aspectRatio !== '4:3';
    const field = names.resolution === undefined ? 'aspect_ratio' : 'resolution';
    for (const able of [own, { ...own, resolutions: ['720p'], aspectRatios: ['1:1'] }]) {
      const refused = {
        issues: [{ path: `body.${field}`, message: expect.stringMatching(/^must match the size/) }],
      };
      expect(resolveShape({ size, ...names }, capabilities(able))).toEqual(matches ? { size } : refused);
    }
  });
});

const someOf = (values: string[]) => fc.subarray(values, { minLength: 1 });

test('each size in the list of models is made exactly, and its neighbours are refused', () => {
  const endpoints = fc
    .record({
      resolutions: someOf(['360p', '480p', '720p', '768p', '1080p', '1K', '2K', '4K']),
      aspectRatios: someOf(['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21']),
      sizes: fc.constantFrom<string[] | null>(null, ['1792x1024', '641x361']),
    })
    .map(capabilities);
  fc.assert(
    fc.property(endpoints, fc.constantFrom(-2, -1, 1, 2), (able, step) => {
      const { sizes } = videoPixels(able);
      for (const name of sizes!) {
        const size = parseSize(name)!;
        const shape = resolveShape({ size }, able) as Shape;
        expect(shape.size).toEqual(size);
        const { resolution, aspectRatio } = shape;
        if (resolution && aspectRatio) {
          expect(sizeOf(resolution, aspectRatio)).toEqual(size);
          expect(resolveShape({ size, resolution, aspectRatio }, able)).toEqual(shape);
        }
        const near = { ...size, width: size.width + step };
        if (!sizes!.includes(formatSize(near))) {
          expect(resolveShape({ size: near }, able)).toMatchObject({ issues: [{ path: 'body.size' }] });
        }
      }
    }),
  );
});

describe('parseSize', () => {
  test.each(['0x10', '10', '10x', 'x10', '1.5x10', '-1x10', '10x10x10', '100000x10', ' 10x10'])(
    'refuses %p',
    (text) => {
      expect(parseSize(text)).toBeUndefined();
    },
  );
});
