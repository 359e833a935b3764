/** Converts aspect ratios and resolutions to pixels, and finds the nearest size that an endpoint can make. */
import type { ImageSizeLimits } from '../catalog/catalog.ts';
import { parseSize, type Size } from '../pixel-size.ts';

/** The aspect ratios of the API. `auto`: the model chooses. */
export const IMAGE_ASPECT_RATIOS = [
  '1:1',
  '1:2',
  '1:4',
  '1:8',
  '2:1',
  '2:3',
  '2.35:1',
  '3:2',
  '3:4',
  '4:1',
  '4:3',
  '4:5',
  '5:2',
  '5:4',
  '5:7',
  '7:5',
  '8:1',
  '9:16',
  '16:9',
  '9:19.5',
  '19.5:9',
  '9:20',
  '20:9',
  '9:21',
  '21:9',
  'auto',
] as const;

/** The side of a square with as many pixels as each resolution tier. */
const SIDES = { '512': 512, '768': 768, '1K': 1024, '1.5K': 1536, '2K': 2048, '4K': 4096 } as const;
export type ImageResolution = keyof typeof SIDES;
export const IMAGE_RESOLUTIONS = ['512', '768', '1K', '1.5K', '2K', '4K'] as const;

/** Sizes count as one shape within this tolerance: vendors round sides to multiples of up to 64. */
const SHAPE_TOLERANCE = Math.log(1.03);

export function isImageResolution(text: string): text is ImageResolution {
  return Object.hasOwn(SIDES, text);
}

/** Returns width divided by height; undefined for `auto`. */
export function ratioOf(aspectRatio: string): number | undefined {
  const [across, down] = aspectRatio.split(':').map(Number);
  return across && down ? across / down : undefined;
}

/** Returns the unrounded pixels of a tier and a ratio. */
export function sizeFor(resolution: string, ratio: number): Size {
  const side = sideOf(resolution);
  return { width: side * Math.sqrt(ratio), height: side / Math.sqrt(ratio) };
}

/** Returns the nearest offered ratio other than `auto`; undefined if there is none. */
export function nearestRatio(ratio: number, offered: readonly string[]): string | undefined {
  return nearest(offered, (name) => {
    const own = ratioOf(name);
    return own === undefined ? Infinity : distance(own, ratio);
  });
}

export function nearestResolution(side: number, offered: readonly string[]): string | undefined {
  return nearest(offered, (name) => distance(sideOf(name), side));
}

/**
 * Returns the offered `WIDTHxHEIGHT` with the most similar shape and, among those, the most similar number of pixels.
 */
export function nearestSize(wanted: Size, offered: readonly string[]): Size | undefined {
  const sizes = offered.map(parseSize).filter((size) => size !== undefined);
  const shapes = sizes.map((size) => distance(size.width / size.height, wanted.width / wanted.height));
  const best = Math.min(...shapes) + SHAPE_TOLERANCE;
  const pixels = wanted.width * wanted.height;
  return nearest(
    sizes.filter((_, at) => shapes[at]! <= best),
    ({ width, height }) => distance(width * height, pixels),
  );
}

/** The limits for endpoints whose limits are unknown. */
export const DEFAULT_LIMITS: ImageSizeLimits = {
  multipleOf: 16,
  maxSide: Infinity,
  minPixels: 1,
  maxPixels: Infinity,
  maxRatio: Infinity,
};

/** Absorbs rounding errors of doubles, such as 3839.9999999. */
const ROUNDING_TOLERANCE = 1e-6;

/** Returns the size within the limits that is nearest to the wanted one. A size within the limits stays as it is. */
export function clampSize(wanted: Size, limits: ImageSizeLimits = DEFAULT_LIMITS): Size {
  const { multipleOf, maxSide, minPixels, maxPixels, maxRatio } = limits;
  const width = Math.min(wanted.width, wanted.height * maxRatio);
  const height = Math.min(wanted.height, wanted.width * maxRatio);
  const pixels = width * height;
  const shrink = Math.min(1, maxSide / Math.max(width, height), Math.sqrt(maxPixels / pixels));
  const scale = shrink < 1 ? shrink : Math.max(1, Math.sqrt(minPixels / pixels));
  const toMultiple = (side: number): number => {
    const multiples = (side * scale) / multipleOf;
    if (scale < 1) return Math.max(1, Math.floor(multiples + ROUNDING_TOLERANCE)) * multipleOf;
    return (
      Math.max(1, scale > 1 ? Math.ceil(multiples - ROUNDING_TOLERANCE) : Math.round(multiples)) * multipleOf
    );
  };
  return withinLimits({ width: toMultiple(width), height: toMultiple(height) }, limits);
}

/** Cuts sides that rounding made too long, and extends the shorter side by a step if pixels are missing then. */
function withinLimits({ width, height }: Size, limits: ImageSizeLimits): Size {
  const { multipleOf, maxSide, minPixels, maxPixels, maxRatio } = limits;
  const cut = (side: number, other: number): number => {
    const most = Math.min(side, maxSide, other * maxRatio, side >= other ? maxPixels / other : Infinity);
    return Math.max(1, Math.floor(most / multipleOf + ROUNDING_TOLERANCE)) * multipleOf;
  };
  const across = cut(width, height);
  const down = cut(height, across);
  if (across * down >= minPixels) return { width: across, height: down };
  return across < down
    ? { width: across + multipleOf, height: down }
    : { width: across, height: down + multipleOf };
}

/** Returns whether `clampSize` leaves a size as it is. */
export function isWithin({ width, height }: Size, limits: ImageSizeLimits): boolean {
  const { multipleOf, maxSide, minPixels, maxPixels, maxRatio } = limits;
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  return (
    width % multipleOf === 0 &&
    height % multipleOf === 0 &&
    long <= maxSide &&
    long <= short * maxRatio &&
    width * height >= minPixels &&
    width * height <= maxPixels
  );
}

function sideOf(resolution: string): number {
  return isImageResolution(resolution) ? SIDES[resolution] : SIDES['1K'];
}

/** Returns the distance of two quantities as a logarithm: twice is as far as half. */
function distance(a: number, b: number): number {
  return Math.abs(Math.log(a / b));
}

/** Returns the nearest item; the first of a tie. */
function nearest<T>(items: readonly T[], distanceOf: (item: T) => number): T | undefined {
  let best: T | undefined;
  let least = Infinity;
  for (const item of items) {
    const far = distanceOf(item);
    if (far >= least) continue;
    least = far;
    best = item;
  }
  return best;
}
