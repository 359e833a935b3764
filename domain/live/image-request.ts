/** Defines image requests, and checks their fields for contradictions. */
import type { Issue } from '../errors.ts';
import { isImageResolution, ratioOf } from './image-size.ts';
import { parseSize, type Size } from '../pixel-size.ts';

/** An image request in the product's own terms; `contract/live/images-request.ts` has the wire format. */
export interface RequestedImages {
  /** The most pictures to make. */
  n: number;
  /** Exact pixels. They are made exactly, or the request is rejected. */
  size?: Size | undefined;
  resolution?: string | undefined;
  /** Never `auto`, which equals no ratio. */
  aspectRatio?: string | undefined;
  outputFormat?: ImageFormat | undefined;
  background?: ImageBackground | undefined;
  quality?: string | undefined;
  /** 0 to 100, for `jpeg` and `webp`. */
  compression?: number | undefined;
  seed?: number | undefined;
  references: string[];
}

export const IMAGE_FORMATS = ['png', 'jpeg', 'webp', 'svg'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];
export const IMAGE_BACKGROUNDS = ['auto', 'transparent', 'opaque'] as const;
export type ImageBackground = (typeof IMAGE_BACKGROUNDS)[number];
/** The qualities in ascending order, after `auto`, which lets the model choose. */
export const IMAGE_QUALITIES = ['auto', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Formats with an alpha channel, according to the API. */
export const TRANSPARENT_FORMATS: readonly ImageFormat[] = ['png', 'webp'];

/** The fields of a request that can contradict each other, under their names on the wire. */
export interface SizedImageFields {
  size?: string | null | undefined;
  resolution?: string | null | undefined;
  aspect_ratio?: string | null | undefined;
  background?: string | null | undefined;
  output_format?: string | null | undefined;
}

/**
 * Returns an issue for each contradiction that no model can fulfil. Each endpoint decides whether names match pixels.
 * `path` is the field below the body.
 */
export function contradictionsIn(fields: SizedImageFields): Issue[] {
  const { size, resolution, background, output_format: format } = fields;
  const issues: Issue[] = [];
  const canBeTransparent = TRANSPARENT_FORMATS.some((each) => each === format);
  if (background === 'transparent' && format && !canBeTransparent) {
    issues.push({ path: 'background', message: `transparent needs the output_format png or webp` });
  }
  if (size && isImageResolution(size) && resolution && resolution !== size) {
    issues.push({ path: 'size', message: `contradicts ${resolution}; give one of the two` });
  }
  return issues;
}

/** Combines `size`, `resolution` and `aspect_ratio` into one shape. */
export function requestedShape({
  size,
  resolution,
  aspect_ratio: aspectRatio,
}: SizedImageFields): Pick<RequestedImages, 'size' | 'resolution' | 'aspectRatio'> {
  const tier = size && isImageResolution(size) ? size : resolution;
  return {
    size: size ? parseSize(size) : undefined,
    resolution: tier || undefined,
    aspectRatio: aspectRatio && ratioOf(aspectRatio) !== undefined ? aspectRatio : undefined,
  };
}
