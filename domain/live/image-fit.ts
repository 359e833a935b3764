/** Adapts an image request to what one endpoint can make, or explains why it cannot. */
import type { ImageCapabilities } from '../catalog/catalog.ts';
import type { Issue } from '../errors.ts';
import {
  type RequestedImages,
  type ImageBackground,
  type ImageFormat,
  IMAGE_QUALITIES,
  TRANSPARENT_FORMATS,
} from './image-request.ts';
import { type ExactShape, exactShape } from './image-pixels.ts';
import { clampSize, nearestRatio, nearestResolution, nearestSize, ratioOf, sizeFor } from './image-size.ts';
import type { Shape, Size } from '../pixel-size.ts';

/**
 * A request adapted to one endpoint. Unsupported parameters are left out, and graded ones become the nearest supported
 * value.
 */
export interface ImageFit extends ExactShape {
  n: number;
  outputFormat: ImageFormat;
  background?: ImageBackground | undefined;
  quality?: string | undefined;
  compression?: number | undefined;
  seed?: number | undefined;
}

/**
 * Checks a request against an endpoint's capabilities, before any spending. Tiers, ratios, quality and the number of
 * pictures are clamped. If only a different picture is possible, the result is an issue.
 */
export function fitImages(
  request: RequestedImages,
  capabilities: ImageCapabilities,
): ImageFit | { issues: Issue[] } {
  const format = formatFor(request, capabilities);
  const shape = shapeFor(request, capabilities);
  const issues = [
    ...('issues' in shape ? shape.issues : []),
    ...countIssues(request.n, capabilities),
    ...referenceIssues(request.references.length, capabilities.maxReferences),
    ...backgroundIssues(request.background, capabilities),
    ...(typeof format === 'string' ? [] : [format]),
  ];
  if (typeof format !== 'string' || 'issues' in shape || issues.length > 0) return { issues };
  const { background, seed, compression } = request;
  const isCompressed = capabilities.compression && (format === 'jpeg' || format === 'webp');
  return {
    n: Math.min(request.n, capabilities.maxImages),
    ...shape,
    outputFormat: format,
    background: background && capabilities.backgrounds?.includes(background) ? background : undefined,
    quality: qualityFor(request.quality, capabilities.qualities),
    compression: isCompressed ? compression : undefined,
    seed: capabilities.seed ? seed : undefined,
  };
}

/** Returns the requested format, or else the endpoint's first that supports the background. */
function formatFor(
  { outputFormat, background }: RequestedImages,
  capabilities: ImageCapabilities,
): ImageFormat | Issue {
  const formats = capabilities.outputFormats as ImageFormat[];
  if (outputFormat !== undefined && !formats.includes(outputFormat)) {
    const own = formats.join(', ');
    const why =
      outputFormat === 'svg'
        ? 'is made by vectorizing models only: for this model'
        : 'is not made by this model:';
    return { path: 'body.output_format', message: `${outputFormat} ${why} it must be one of ${own}` };
  }
  const usable =
    background === 'transparent' ? formats.filter((each) => TRANSPARENT_FORMATS.includes(each)) : formats;
  const format = outputFormat ?? usable[0];
  return (
    format ?? {
      path: 'body.background',
      message: 'transparent needs png or webp, which this model does not make',
    }
  );
}

function countIssues(n: number, { maxImages }: ImageCapabilities): Issue[] {
  if (n === 1 || maxImages > 1) return [];
  return [{ path: 'body.n', message: 'must be 1: this model makes one picture at a time' }];
}

function referenceIssues(count: number, most: number): Issue[] {
  if (count <= most) return [];
  const message = most === 0 ? 'this model takes no reference images' : `this model takes at most ${most}`;
  return [{ path: 'body.input_references', message }];
}

/**
 * Returns an issue if a transparent background is not supported. Every endpoint makes opaque pictures, so `opaque`
 * causes no issue.
 */
function backgroundIssues(background: ImageBackground | undefined, capabilities: ImageCapabilities): Issue[] {
  if (background !== 'transparent' || capabilities.backgrounds?.includes(background)) return [];
  return [{ path: 'body.background', message: 'this model makes no transparent pictures' }];
}

/** Returns the best supported quality up to the requested one, or else the lowest. */
function qualityFor(requested: string | undefined, offered: string[] | null): string | undefined {
  if (requested === undefined || offered === null) return undefined;
  if (offered.includes(requested)) return requested;
  const levels = IMAGE_QUALITIES.filter((level) => level !== 'auto');
  const at = levels.findIndex((level) => level === requested);
  const has = (level: string): boolean => offered.includes(level);
  return at === -1 ? undefined : (levels.slice(0, at).findLast(has) ?? levels.find(has));
}

/** Returns the shape in the form that the endpoint takes, pixels or names; empty if the request has none. */
function shapeFor(
  request: RequestedImages,
  capabilities: ImageCapabilities,
): ExactShape | { issues: Issue[] } {
  const { size, resolution, aspectRatio } = request;
  if (size !== undefined) return exactShape(size, request, capabilities);
  if (resolution === undefined && aspectRatio === undefined) return {};
  if (capabilities.sizes !== null) return sizeIn(requestedSize(request, capabilities), capabilities);
  const wanted = requestedSize(request, { aspectRatios: null, resolutions: null });
  const ratio =
    aspectRatio &&
    capabilities.aspectRatios &&
    nearestRatio(wanted.width / wanted.height, capabilities.aspectRatios);
  const side = Math.sqrt(wanted.width * wanted.height);
  const tier = resolution && capabilities.resolutions && nearestResolution(side, capabilities.resolutions);
  return { aspectRatio: ratio ?? undefined, resolution: tier ?? undefined };
}

function sizeIn(wanted: Size, capabilities: ImageCapabilities): Shape {
  if (capabilities.sizes === 'any') return { size: clampSize(wanted, capabilities.sizeLimits) };
  return { size: nearestSize(wanted, capabilities.sizes ?? []) };
}

/** Returns the pixels of the requested names, by the ratios and tiers of the endpoint. */
function requestedSize(
  { resolution, aspectRatio }: RequestedImages,
  { aspectRatios, resolutions }: Pick<ImageCapabilities, 'aspectRatios' | 'resolutions'>,
): Size {
  const ratio = aspectRatio === undefined ? undefined : ratioOf(aspectRatio);
  const offered = ratio !== undefined && aspectRatios ? nearestRatio(ratio, aspectRatios) : undefined;
  const tier = sizeFor(resolution ?? resolutions?.[0] ?? '1K', 1).width;
  const near = resolutions ? nearestResolution(tier, resolutions) : resolution;
  return sizeFor(near ?? '1K', (offered === undefined ? ratio : ratioOf(offered)) ?? 1);
}

/** Returns the expected megapixels of one picture; those of a 1K square if the model chooses. */
export function megapixelsOf({
  size,
  namedSize,
  resolution,
}: Pick<ImageFit, 'size' | 'namedSize' | 'resolution'>): number {
  const { width, height } = size ?? namedSize ?? sizeFor(resolution ?? '1K', 1);
  return (width * height) / 1_000_000;
}
