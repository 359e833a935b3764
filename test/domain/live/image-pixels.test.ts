import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ImageCapabilities, ImageSizeLimits } from '../../../domain/catalog/catalog.ts';
import type { Issue } from '../../../domain/errors.ts';
import { fitImages, type ImageFit, megapixelsOf } from '../../../domain/live/image-fit.ts';
import { imagePixels } from '../../../domain/live/image-pixels.ts';
import { contradictionsIn, requestedShape } from '../../../domain/live/image-request.ts';
import {
  clampSize,
  IMAGE_ASPECT_RATIOS,
  IMAGE_RESOLUTIONS,
  ratioOf,
  sizeFor,
} from '../../../domain/live/image-size.ts';
import { formatSize, parseSize, type Shape } from '../../../domain/pixel-size.ts';
import { imageCapabilities as able } from '../capabilities.ts';

const LIMITS: ImageSizeLimits = {
  multipleOf: 16,
  maxSide: 3840,
  minPixels: 655_360,
  maxPixels: 8_294_400,
  maxRatio: 3,
};
const LISTED = able({ sizes: ['1024x1024', '1536x1024', '1792x1024'] });
const ANY = able({
  sizes: 'any',
  sizeLimits: LIMITS,
  resolutions: ['1K', '2K', '4K'],
  aspectRatios: ['1:1', '16:9'],
});
const UNSTATED = able({ sizes: 'any' });
const NAMES = able({ resolutions: ['1K', '2K'], aspectRatios: ['1:1', '16:9', '21:9', '2.35:1', 'auto'] });
const RATIOS_ONLY = able({ aspectRatios: ['1:1', '16:9'] });

interface Wish {
  size: string;
  resolution?: string;
  aspect_ratio?: string;
}

/** What an endpoint is told of a request for pixels: its issues, or the shape. */
function told(fields: Wish, endpoint: ImageCapabilities): Issue[] | Shape {
  expect(contradictionsIn(fields)).toEqual([]);
  const fit = fitImages({ n: 1, references: [], ...requestedShape(fields) }, endpoint);
  if ('issues' in fit) return fit.issues;
  const { n: _n, outputFormat: _f, namedSize: _s, ...shape } = fit;
  return shape;
}
const pixels = (size: string) => ({ size: parseSize(size) });

describe('a size that the endpoint makes', () => {
  test.each<[string, Wish, ImageCapabilities, object]>([
    ['a listed size', { size: '1536x1024' }, LISTED, pixels('1536x1024')],
    ['a listed size with its ratio', { size: '1536x1024', aspect_ratio: '3:2' }, LISTED, pixels('1536x1024')],
    ['a listed size with its tier', { size: '1024x1024', resolution: '1K' }, LISTED, pixels('1024x1024')],
    ['pixels within limits', { size: '1600x912' }, ANY, pixels('1600x912')],
    ['the least pixels', { size: '640x1024' }, ANY, pixels('640x1024')],
    ['the most pixels', { size: '3840x2160' }, ANY, pixels('3840x2160')],
    [
      'pixels that a tier and a ratio make',
      { size: '1360x768', resolution: '1K', aspect_ratio: '16:9' },
      ANY,
      pixels('1360x768'),
    ],
    ['pixels of a ratio by a tier', { size: '1360x768', aspect_ratio: '16:9' }, ANY, pixels('1360x768')],
    ['pixels of a ratio without a tier', { size: '1600x800', aspect_ratio: '2:1' }, ANY, pixels('1600x800')],
    [
      'pixels of a tier at their own ratio',
      { size: '1008x1040', resolution: '1K' },
      ANY,
      pixels('1008x1040'),
    ],
    ['a tier that the limits bound', { size: '3840x2160', resolution: '4K' }, ANY, pixels('3840x2160')],
    ['any ratio beside auto', { size: '1024x1024', aspect_ratio: 'auto' }, ANY, pixels('1024x1024')],
    ['any pixels where nobody states limits', { size: '1001x333' }, UNSTATED, pixels('1001x333')],
    ['pixels that names make', { size: '1360x768' }, NAMES, { resolution: '1K', aspectRatio: '16:9' }],
    [
      'pixels that several names make',
      { size: '1568x672', aspect_ratio: '2.35:1' },
      NAMES,
      { resolution: '1K', aspectRatio: '2.35:1' },
    ],
  ])('reaches the endpoint exactly: %s', (_what, fields, endpoint, shape) => {
    expect(told(fields, endpoint)).toEqual(shape);
  });
});

test.each([
  ['2736x1536', NAMES],
  ['1536x1024', LISTED],
])('megapixelsOf counts the pixels of %s, even if the endpoint takes only names', (size, endpoint) => {
  const fit = fitImages({ n: 1, references: [], ...requestedShape({ size }) }, endpoint) as ImageFit;
  const { width, height } = parseSize(size)!;
  expect(megapixelsOf(fit)).toBe((width * height) / 1_000_000);
});

describe('a size that the endpoint does not make', () => {
  const rule = 'multiples of 16 and at most 3840, 655360 to 8294400 pixels in all';
  test.each<[string, Wish, ImageCapabilities, string, string]>([
    ['not listed', { size: '1535x1024' }, LISTED, 'size', 'must be one of 1024x1024, 1536x1024, 1792x1024'],
    ['no multiple', { size: '1025x1024' }, ANY, 'size', rule],
    ['too few', { size: '16x16' }, ANY, 'size', rule],
    ['too many', { size: '3840x2176' }, ANY, 'size', rule],
    ['too long a side', { size: '3856x1600' }, ANY, 'size', rule],
    ['too long for their width', { size: '3072x1008' }, ANY, 'size', 'at most 3 times the shorter'],
    ['made by no names', { size: '1344x768' }, NAMES, 'size', 'each side rounded to a multiple of 16'],
    ['near those of names', { size: '1361x768' }, NAMES, 'size', 'must be one of 1024x1024, 1360x768'],
    ['of one kind of names', { size: '1024x1024' }, RATIOS_ONLY, 'size', 'is not supported by this model'],
    ['of no names at all', { size: '1024x1024' }, able(), 'size', 'is not supported by this model'],
  ])('fails with the rule of the endpoint: %s', (_what, fields, endpoint, field, message) => {
    expect(told(fields, endpoint)).toEqual([
      { path: `body.${field}`, message: expect.stringContaining(message) },
    ]);
  });

  test.each<[string, Wish, ImageCapabilities, string, string]>([
    ['a ratio 3 % off', { size: '1792x1024', aspect_ratio: '16:9' }, LISTED, 'aspect_ratio', '16:9 makes'],
    ['a ratio 2 % off', { size: '1344x768', aspect_ratio: '16:9' }, ANY, 'aspect_ratio', '1360x768'],
    ['another ratio', { size: '1024x1024', aspect_ratio: '16:9' }, NAMES, 'aspect_ratio', '1360x768'],
    ['a tier 37 % off', { size: '1408x1408', resolution: '1K' }, ANY, 'resolution', '1K makes 1024x1024'],
    [
      'the tier of the longer side',
      { size: '2048x1152', resolution: '2K' },
      ANY,
      'resolution',
      '2K makes 2736x1536',
    ],
    ['the nearest tier', { size: '1536x1024', resolution: '1K' }, LISTED, 'resolution', '1K makes 1248x832'],
    ['another tier', { size: '1024x1024', resolution: '2K' }, NAMES, 'resolution', '2K makes 2048x2048'],
    [
      'a tier that is only clamped to it',
      { size: '816x816', resolution: '512' },
      ANY,
      'resolution',
      '512 makes 512x512',
    ],
    [
      'a ratio that is only clamped to it',
      { size: '2400x800', aspect_ratio: '8:1' },
      ANY,
      'aspect_ratio',
      '8:1 makes',
    ],
  ])('fails with the rule of the name beside it: %s', (_what, fields, endpoint, field, message) => {
    expect(told(fields, endpoint)).toEqual([
      {
        path: `body.${field}`,
        message: expect.stringMatching(new RegExp(`^must match the size ${fields.size}: .*${message}`)),
      },
    ]);
  });

  test('fails with an issue for each name that contradicts it', () => {
    const issues = told({ size: '1024x1024', resolution: '2K', aspect_ratio: '16:9' }, ANY);
    expect((issues as Issue[]).map(({ path }) => path)).toEqual(['body.resolution', 'body.aspect_ratio']);
  });

  test('fails with a list of sizes cut to less than 300 characters', () => {
    const many = able({ resolutions: [...IMAGE_RESOLUTIONS], aspectRatios: [...IMAGE_ASPECT_RATIOS] });
    const { sizes, sizeDescription } = imagePixels(many);
    expect(sizes!.length).toBeGreaterThan(100);
    expect(sizeDescription).toContain(`… (${sizes!.length} in all)`);
    expect(sizeDescription!.length).toBeLessThan(300);
  });
});

const someOf = <T extends string>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });
const endpoints = fc
  .record({
    resolutions: someOf(IMAGE_RESOLUTIONS),
    aspectRatios: someOf(IMAGE_ASPECT_RATIOS),
    sizes: fc.constantFrom<ImageCapabilities['sizes']>(null, 'any', ['1024x1024', '1792x1024', '640x361']),
    sizeLimits: fc.constantFrom(LIMITS, undefined),
  })
  .map(({ sizeLimits, ...facts }) => able({ ...facts, ...(sizeLimits && { sizeLimits }) }));

describe("the size rule shown on a model's page", () => {
  test('states how sides are rounded when any size is accepted', () => {
    const fields = { size: '1368x768', aspect_ratio: '16:9' };
    expect(told(fields, UNSTATED)).toMatchObject([{ message: expect.stringContaining('16:9 makes') }]);
    expect(imagePixels(UNSTATED).sizeDescription).toMatch(
      /^any WIDTHxHEIGHT; .* rounded to multiples of 16$/,
    );
  });

  test('matches the rule applied: each listed size passes and its neighbours fail', () => {
    fc.assert(
      fc.property(endpoints, fc.constantFrom(-1, 1), (endpoint, step) => {
        const { sizes } = imagePixels(endpoint);
        for (const size of sizes ?? []) {
          const shape = told({ size }, endpoint) as Shape;
          expect(shape.size === undefined ? pixelsOfNames(shape, endpoint) : formatSize(shape.size)).toBe(
            size,
          );
          const { width, height } = parseSize(size)!;
          const near = formatSize({ width: width + step, height });
          if (!sizes!.includes(near))
            expect(told({ size: near }, endpoint)).toMatchObject([{ path: 'body.size' }]);
        }
      }),
    );
  });

  test('accepts the pixels that names alone make, with and without the names', () => {
    fc.assert(
      fc.property(endpoints, fc.nat(), fc.nat(), (endpoint, tierAt, ratioAt) => {
        const resolution = endpoint.resolutions![tierAt % endpoint.resolutions!.length]!;
        const named = endpoint.aspectRatios!.filter((name) => name !== 'auto' && isWithin(name, endpoint));
        const aspectRatio = named[ratioAt % named.length];
        if (endpoint.sizes !== 'any' || aspectRatio === undefined) return;
        const fit = fitImages({ n: 1, references: [], resolution, aspectRatio }, endpoint);
        const size = formatSize((fit as Shape).size!);
        expect(told({ size }, endpoint)).toEqual(pixels(size));
        expect(told({ size, resolution, aspect_ratio: aspectRatio }, endpoint)).toEqual(pixels(size));
      }),
    );
  });
});

function pixelsOfNames({ resolution, aspectRatio }: Shape, { sizeLimits }: ImageCapabilities): string {
  return formatSize(clampSize(sizeFor(resolution!, ratioOf(aspectRatio!)!), sizeLimits));
}

function isWithin(aspectRatio: string, { sizeLimits }: ImageCapabilities): boolean {
  const ratio = ratioOf(aspectRatio)!;
  return Math.max(ratio, 1 / ratio) <= (sizeLimits?.maxRatio ?? Infinity);
}
