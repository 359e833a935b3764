import type { Issue } from './errors.ts';
import type { VideoCapabilities } from './catalog.ts';

/** Width and height in pixels. */
export interface Size {
  width: number;
  height: number;
}

export interface Shape {
  size?: Size;
  resolution?: string;
  aspectRatio?: string;
}

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

/** Encoders want even sides, and vendors round differently, so a side may differ by this much. */
const TOLERANCE_PIXELS = 2;

export function formatSize(size: Size): string {
  return `${size.width}x${size.height}`;
}

export function parseSize(text: string): Size | undefined {
  const match = /^([1-9]\d{1,4})x([1-9]\d{1,4})$/.exec(text);
  return match === null ? undefined : { width: Number(match[1]), height: Number(match[2]) };
}

/** The pixels that a resolution and an aspect ratio mean; sides are even. */
export function sizeOf(resolution: string, aspectRatio: string): Size | undefined {
  const short = SHORT_SIDES[resolution];
  const [across, down] = aspectRatio.split(':').map(Number);
  if (short === undefined || !across || !down) return undefined;
  const long = 2 * Math.round((short * Math.max(across, down)) / Math.min(across, down) / 2);
  return across >= down ? { width: long, height: short } : { width: short, height: long };
}

/**
 * Makes `size` and `resolution` + `aspect_ratio` interchangeable: whichever the caller gave, the answer has
 * all that can be known, defaults included, or the issues: a contradiction, or what the model does not make.
 */
export function resolveShape(asked: Shape, capabilities: VideoCapabilities): Shape | { issues: Issue[] } {
  const issues = [
    ...notListed('body.resolution', asked.resolution, capabilities.resolutions),
    ...notListed('body.aspect_ratio', asked.aspectRatio, capabilities.aspectRatios),
  ];
  if (issues.length > 0) return { issues };
  return asked.size === undefined
    ? fromNames(asked, capabilities)
    : fromSize(asked.size, asked, capabilities);
}

function fromNames(asked: Shape, capabilities: VideoCapabilities): Shape {
  const resolution = asked.resolution ?? capabilities.resolutions?.[0];
  const aspectRatio = asked.aspectRatio ?? capabilities.aspectRatios?.[0];
  const size = resolution && aspectRatio ? sizeOf(resolution, aspectRatio) : undefined;
  return {
    ...(resolution === undefined ? {} : { resolution }),
    ...(aspectRatio === undefined ? {} : { aspectRatio }),
    ...(size === undefined ? {} : { size }),
  };
}

function fromSize(size: Size, asked: Shape, capabilities: VideoCapabilities): Shape | { issues: Issue[] } {
  const named = namedShapes(capabilities).filter((shape) => isSameSize(shape.size, size));
  const listed = capabilities.sizes?.includes(formatSize(size)) ?? false;
  if (named.length === 0 && !listed) {
    return { issues: [{ path: 'body.size', message: `must be one of ${allowedSizes(capabilities)}` }] };
  }
  const agreeing = named.find(
    (shape) =>
      (asked.resolution === undefined || asked.resolution === shape.resolution) &&
      (asked.aspectRatio === undefined || asked.aspectRatio === shape.aspectRatio),
  );
  if (agreeing !== undefined) return agreeing;
  if (asked.resolution === undefined && asked.aspectRatio === undefined) return { size };
  const told = [asked.resolution, asked.aspectRatio].filter((word) => word !== undefined).join(' ');
  return { issues: [{ path: 'body.size', message: `contradicts ${told}; give one of the two` }] };
}

function namedShapes(capabilities: VideoCapabilities): Required<Shape>[] {
  return (capabilities.resolutions ?? []).flatMap((resolution) =>
    (capabilities.aspectRatios ?? []).flatMap((aspectRatio) => {
      const size = sizeOf(resolution, aspectRatio);
      return size === undefined ? [] : [{ resolution, aspectRatio, size }];
    }),
  );
}

/** Every size the endpoint makes, as the catalog lists them. */
export function supportedSizes(capabilities: VideoCapabilities): string[] {
  const named = namedShapes(capabilities).map((shape) => formatSize(shape.size));
  return [...new Set([...(capabilities.sizes ?? []), ...named])];
}

function allowedSizes(capabilities: VideoCapabilities): string {
  return supportedSizes(capabilities).join(', ') || 'none: this model does not take a size';
}

/** Also when one of the two was rounded. */
export function isSameSize(a: Size, b: Size): boolean {
  return Math.abs(a.width - b.width) <= TOLERANCE_PIXELS && Math.abs(a.height - b.height) <= TOLERANCE_PIXELS;
}

function notListed(path: string, value: string | undefined, allowed: string[] | null): Issue[] {
  if (value === undefined || allowed?.includes(value)) return [];
  return [
    {
      path,
      message: allowed === null ? 'is not taken by this model' : `must be one of ${allowed.join(', ')}`,
    },
  ];
}
