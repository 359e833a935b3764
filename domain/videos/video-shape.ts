/** Resolves the resolution, aspect ratio and pixels of a requested video. */
import type { VideoCapabilities } from '../catalog/catalog.ts';
import type { Issue } from '../errors.ts';
import {
  nameIssue,
  type NamedShape,
  type Names,
  type PixelRule,
  ruleOfLists,
  sizeIssue,
} from '../pixel-rule.ts';
import { isSameSize, type Shape, type Size } from '../pixel-size.ts';

/** The shorter side of each named resolution, in pixels. */
const SHORT_SIDES: Record<string, number> = {
  '360p': 360,
  '480p': 480,
  '720p': 720,
  '768p': 768,
  '1080p': 1080,
  '1K': 1024,
  '2K': 1440,
  '4K': 2160,
};

const ROUNDING =
  'whose shorter side is that of the resolution and whose longer side is rounded to an even number';

/** Returns the pixels of a resolution and an aspect ratio; sides are even. */
export function sizeOf(resolution: string, aspectRatio: string): Size | undefined {
  const short = SHORT_SIDES[resolution];
  const [across, down] = aspectRatio.split(':').map(Number);
  if (short === undefined || !across || !down) return undefined;
  const long = 2 * Math.round((short * Math.max(across, down)) / Math.min(across, down) / 2);
  return across >= down ? { width: long, height: short } : { width: short, height: long };
}

/** Returns the pixel rule of an endpoint: the sizes that it lists, and those of its names. */
export function videoPixels({ sizes, resolutions, aspectRatios }: VideoCapabilities): PixelRule {
  const named = (resolutions ?? []).flatMap((resolution) =>
    (aspectRatios ?? []).flatMap((aspectRatio): NamedShape[] => {
      const size = sizeOf(resolution, aspectRatio);
      return size === undefined ? [] : [{ resolution, aspectRatio, size }];
    }),
  );
  return ruleOfLists(sizes ?? [], named, ROUNDING);
}

/**
 * Resolves a shape from `size`, or from `resolution` and `aspect_ratio`, and fills in the rest, defaults included.
 * Returns issues for unsupported shapes. Names alone must be in the endpoint's lists; beside a size they only need to
 * match its pixels.
 */
export function resolveShape(requested: Shape, capabilities: VideoCapabilities): Shape | { issues: Issue[] } {
  return requested.size === undefined
    ? fromNames(requested, capabilities)
    : fromSize(requested.size, requested, capabilities);
}

function fromNames(requested: Shape, capabilities: VideoCapabilities): Shape | { issues: Issue[] } {
  const issues = [
    ...notListed('body.resolution', requested.resolution, capabilities.resolutions),
    ...notListed('body.aspect_ratio', requested.aspectRatio, capabilities.aspectRatios),
  ];
  if (issues.length > 0) return { issues };
  const resolution = requested.resolution ?? capabilities.resolutions?.[0];
  const aspectRatio = requested.aspectRatio ?? capabilities.aspectRatios?.[0];
  const size = resolution && aspectRatio ? sizeOf(resolution, aspectRatio) : undefined;
  return { resolution, aspectRatio, size };
}

/** Resolves a shape from pixels, which are made exactly or not at all. */
function fromSize(
  size: Size,
  requested: Shape,
  capabilities: VideoCapabilities,
): Shape | { issues: Issue[] } {
  const rule = videoPixels(capabilities);
  const shape = rule.shapeOf(size, requested);
  const issues = [
    ...(shape === undefined ? [sizeIssue(rule)] : []),
    ...mismatches(size, requested, capabilities),
  ];
  return shape === undefined || issues.length > 0 ? { issues } : shape;
}

/** Returns an issue for each name that does not match the pixels. */
export function mismatches(size: Size, names: Names, { resolutions }: VideoCapabilities): Issue[] {
  return [...resolutionIssues(size, names), ...ratioIssues(size, names.aspectRatio, resolutions)];
}

function resolutionIssues(size: Size, { resolution, aspectRatio }: Names): Issue[] {
  const { width, height } = size;
  if (resolution === undefined || SHORT_SIDES[resolution] === Math.min(width, height)) return [];
  const made = sizeOf(resolution, aspectRatio ?? `${width}:${height}`);
  return [nameIssue('body.resolution', resolution, size, made === undefined ? [] : [made])];
}

/** Returns an issue unless the pixels have exactly this ratio, or a resolution makes them at it. */
function ratioIssues(size: Size, aspectRatio: string | undefined, resolutions: string[] | null): Issue[] {
  if (aspectRatio === undefined) return [];
  const [across = 0, down = 0] = aspectRatio.split(':').map(Number);
  const madeOf = (names: string[]) => names.flatMap((name) => sizeOf(name, aspectRatio) ?? []);
  const every = Object.keys(SHORT_SIDES);
  const isOfRatio = size.width * down === size.height * across;
  if (isOfRatio || madeOf(every).some((one) => isSameSize(one, size))) return [];
  return [nameIssue('body.aspect_ratio', aspectRatio, size, madeOf(resolutions ?? every))];
}

function notListed(path: string, value: string | undefined, allowed: string[] | null): Issue[] {
  if (value === undefined || allowed?.includes(value)) return [];
  return [
    {
      path,
      message: allowed === null ? 'is not supported by this model' : `must be one of ${allowed.join(', ')}`,
    },
  ];
}
