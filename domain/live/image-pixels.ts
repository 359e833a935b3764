/** Determines which exact picture sizes an image endpoint can make. */
import type { ImageCapabilities, ImageSizeLimits } from '../catalog/catalog.ts';
import type { Issue } from '../errors.ts';
import {
  clampSize,
  IMAGE_ASPECT_RATIOS,
  IMAGE_RESOLUTIONS,
  isWithin,
  ratioOf,
  sizeFor,
  DEFAULT_LIMITS,
} from './image-size.ts';
import {
  nameIssue,
  type NamedShape,
  type Names,
  type PixelRule,
  ruleOfLists,
  sizeIssue,
} from '../pixel-rule.ts';
import { isSameSize, type Shape, type Size } from '../pixel-size.ts';

/** Returns the pixel rule of an endpoint: its list, its limits, or the pixels of its names. */
export function imagePixels(capabilities: ImageCapabilities): PixelRule {
  const { sizes, sizeLimits } = capabilities;
  if (sizes === 'any') return ruleOfLimits(sizeLimits);
  const { multipleOf } = sizeLimits ?? DEFAULT_LIMITS;
  const rounding = `as many as a square of the resolution's side has, and each side rounded to a multiple of ${multipleOf}`;
  return ruleOfLists(sizes ?? [], sizes === null ? namedShapes(capabilities) : [], rounding);
}

/** Returns the rule for an endpoint with limits. Without limits it takes any size, and the vendor decides. */
function ruleOfLimits(limits: ImageSizeLimits | undefined): PixelRule {
  if (limits === undefined) {
    const sizeDescription = `any WIDTHxHEIGHT; a resolution and an aspect_ratio make sides that are rounded to multiples of ${DEFAULT_LIMITS.multipleOf}`;
    return { sizes: null, sizeDescription, shapeOf: (size) => ({ size }) };
  }
  const { multipleOf, maxSide, minPixels, maxPixels, maxRatio } = limits;
  return {
    sizes: null,
    sizeDescription:
      `WIDTHxHEIGHT with sides that are multiples of ${multipleOf} and at most ${maxSide}, ` +
      `${minPixels} to ${maxPixels} pixels in all, and the longer side at most ${maxRatio} times the shorter`,
    shapeOf: (size) => (isWithin(size, limits) ? { size } : undefined),
  };
}

function namedShapes(capabilities: ImageCapabilities): NamedShape[] {
  return (capabilities.resolutions ?? []).flatMap((resolution) =>
    (capabilities.aspectRatios ?? []).flatMap((aspectRatio) => {
      const ratio = ratioOf(aspectRatio);
      return ratio === undefined
        ? []
        : [{ resolution, aspectRatio, size: pixelsOf(resolution, ratio, capabilities.sizeLimits) }];
    }),
  );
}

function pixelsOf(resolution: string, ratio: number, limits: ImageSizeLimits | undefined): Size {
  return clampSize(sizeFor(resolution, ratio), limits);
}

export interface ExactShape extends Shape {
  /** The pixels of the names, for an endpoint that takes names only. They are billed, but not sent. */
  namedSize?: Size;
}

/**
 * Returns how to request exactly these pixels from an endpoint. Returns issues if it does not make them, or if a name
 * does not match them.
 */
export function exactShape(
  size: Size,
  names: Names,
  capabilities: ImageCapabilities,
): ExactShape | { issues: Issue[] } {
  const rule = imagePixels(capabilities);
  const shape = rule.shapeOf(size, names);
  const issues = [
    ...(shape === undefined ? [sizeIssue(rule)] : []),
    ...resolutionIssues(size, names, capabilities),
    ...ratioIssues(size, names, capabilities),
  ];
  if (shape === undefined || issues.length > 0) return { issues };
  if (!('resolution' in shape)) return shape;
  const { resolution, aspectRatio } = shape;
  return { resolution, aspectRatio, namedSize: size };
}

/** Returns an issue unless the tier makes these pixels, at their own ratio or at a named one. */
function resolutionIssues(
  size: Size,
  { resolution, aspectRatio }: Names,
  capabilities: ImageCapabilities,
): Issue[] {
  if (resolution === undefined) return [];
  const isListed = capabilities.resolutions?.includes(resolution) ?? false;
  const own = size.width / size.height;
  const named = (capabilities.aspectRatios ?? IMAGE_ASPECT_RATIOS).flatMap((name) => ratioOf(name) ?? []);
  const made = [
    pixelsOf(resolution, own, limitsFor(capabilities, isListed)),
    ...named.map((ratio) =>
      pixelsOf(resolution, ratio, limitsFor(capabilities, isListed && capabilities.aspectRatios !== null)),
    ),
  ];
  if (made.some((one) => isSameSize(one, size))) return [];
  const ratio = (aspectRatio === undefined ? undefined : ratioOf(aspectRatio)) ?? own;
  const meant = pixelsOf(resolution, ratio, limitsFor(capabilities, isListed));
  return [nameIssue('body.resolution', resolution, size, [meant])];
}

/** The tolerance for rounding errors of doubles: 2.35 times 680 is not 1598. */
const ROUNDING_TOLERANCE = 1e-9;

/** Returns an issue unless the pixels have exactly this ratio, or a tier makes them at it. */
function ratioIssues(size: Size, { aspectRatio }: Names, capabilities: ImageCapabilities): Issue[] {
  const ratio = aspectRatio === undefined ? undefined : ratioOf(aspectRatio);
  if (aspectRatio === undefined || ratio === undefined) return [];
  const limits = limitsFor(capabilities, capabilities.aspectRatios?.includes(aspectRatio) ?? false);
  const made = (capabilities.resolutions ?? IMAGE_RESOLUTIONS).map((tier) => pixelsOf(tier, ratio, limits));
  const isOfRatio = Math.abs(size.width / size.height / ratio - 1) < ROUNDING_TOLERANCE;
  if (isOfRatio || made.some((one) => isSameSize(one, size))) return [];
  return [nameIssue('body.aspect_ratio', aspectRatio, size, made)];
}

/** Returns the limits for the pixels of a name: the endpoint's own for its names, and the usual rounding for others. */
function limitsFor({ sizeLimits }: ImageCapabilities, isListed: boolean): ImageSizeLimits | undefined {
  return isListed || sizeLimits === undefined
    ? sizeLimits
    : { ...DEFAULT_LIMITS, multipleOf: sizeLimits.multipleOf };
}
