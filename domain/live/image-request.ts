import type { Issue } from '../errors.ts';
import { isImageResolution, ratioOf } from './image-size.ts';
import { parseSize, type Size } from '../pixel-size.ts';

/** What a caller asks for, in the product's own words; `contract/live/images-request.ts` has the wire spelling. */
export interface AskedImages {
  /** At most. */
  n: number;
  /** Exact pixels: made as they are, or not at all. */
  size?: Size;
  resolution?: string;
  /** Not `auto`, which is the same as none. */
  aspectRatio?: string;
  outputFormat?: ImageFormat;
  background?: ImageBackground;
  quality?: string;
  /** 0 to 100, of `jpeg` and `webp`. */
  compression?: number;
  seed?: number;
  references: string[];
}

export const IMAGE_FORMATS = ['png', 'jpeg', 'webp', 'svg'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];
export const IMAGE_BACKGROUNDS = ['auto', 'transparent', 'opaque'] as const;
export type ImageBackground = (typeof IMAGE_BACKGROUNDS)[number];
/** From the least to the most; `auto` leaves it to the model. */
export const IMAGE_QUALITIES = ['auto', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Formats that have an alpha channel, as the API counts them. */
export const TRANSPARENT_FORMATS: readonly ImageFormat[] = ['png', 'webp'];

/** The fields of a request that can contradict each other, in the wire's spelling. */
export interface ImageWish {
  size?: string | null | undefined;
  resolution?: string | null | undefined;
  aspect_ratio?: string | null | undefined;
  background?: string | null | undefined;
  output_format?: string | null | undefined;
}

/**
 * Returns where a request says two things that no model can both do (spec.md, POST /images). Each endpoint says whether
 * names match pixels. `path` is the field below the body.
 */
export function contradictionsIn(wish: ImageWish): Issue[] {
  const { size, resolution, background, output_format: format } = wish;
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

/** The three ways to say how large a picture is to be, as one. */
export function askedShape({
  size,
  resolution,
  aspect_ratio: aspectRatio,
}: ImageWish): Pick<AskedImages, 'size' | 'resolution' | 'aspectRatio'> {
  const tier = size && isImageResolution(size) ? size : resolution;
  const pixels = size ? parseSize(size) : undefined;
  return {
    ...(pixels && { size: pixels }),
    ...(tier && { resolution: tier }),
    ...(aspectRatio && ratioOf(aspectRatio) !== undefined && { aspectRatio }),
  };
}
