/** Reads a request for pictures, and fits it to the abilities of each endpoint. */
import type { LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import type { Issue } from '../../../domain/errors.ts';
import { fitImages, type ImageFit } from '../../../domain/live/image-fit.ts';
import {
  type RequestedImages,
  requestedShape,
  type ImageBackground,
  type ImageFormat,
} from '../../../domain/live/image-request.ts';
import { normalizeMediaUrl } from '../../../domain/live/media-url.ts';
import type { RoutableBody } from '../../routing/routable-body.ts';

/** An images request that has passed the contract's validation. */
export type ImagesBody = RoutableBody & {
  prompt: string;
  n?: number | null | undefined;
  size?: string | null | undefined;
  resolution?: string | null | undefined;
  aspect_ratio?: string | null | undefined;
  output_format?: ImageFormat | null | undefined;
  output_compression?: number | null | undefined;
  background?: ImageBackground | null | undefined;
  quality?: string | null | undefined;
  seed?: number | null | undefined;
  input_references?: { image_url: { url: string } }[] | null | undefined;
  stream?: boolean | null | undefined;
  user?: string | null | undefined;
};

export function toRequestedImages(body: ImagesBody): RequestedImages {
  const { output_format: outputFormat, output_compression: compression, background, quality, seed } = body;
  return {
    n: body.n ?? 1,
    ...requestedShape(body),
    outputFormat: outputFormat ?? undefined,
    background: background ?? undefined,
    quality: quality || undefined,
    compression: compression ?? undefined,
    seed: seed ?? undefined,
    references: (body.input_references ?? []).map(({ image_url: { url } }) => normalizeMediaUrl(url)),
  };
}

/** The request to each endpoint, fitted to what the endpoint supports. */
export function createFits(requested: RequestedImages, options: Options) {
  const fits = new Map<string, ImageFit>();
  return {
    /**
     * Returns the parts of the request that the endpoint does not support. The list is empty when it can serve the
     * request.
     */
    issuesAt(endpoint: LiveEndpoint): Issue[] {
      const { image: able, id } = endpoint;
      if (able === undefined) throw new TypeError(`${id} makes no pictures`);
      const fit = fitImages(requested, able);
      const issues = [...('issues' in fit ? fit.issues : []), ...optionIssues(endpoint, options)];
      if (!('issues' in fit)) fits.set(id, fit);
      return issues;
    },
    /** Returns the fitted request. Call it only for an endpoint for which `issuesAt` found no issues. */
    of({ id }: LiveEndpoint): ImageFit {
      const fit = fits.get(id);
      if (fit === undefined) throw new TypeError(`${id} was not asked what it can do`);
      return fit;
    },
  };
}

export type ImageFits = ReturnType<typeof createFits>;

type Options = Record<string, Record<string, unknown>> | null | undefined;

function optionIssues({ providerSlug: slug, image }: LiveEndpoint, options: Options): Issue[] {
  const allowed = image?.passthroughParameters ?? [];
  return Object.keys(options?.[slug] ?? {}).flatMap((name) => {
    if (allowed.includes(name)) return [];
    const own = allowed.join(', ') || 'none: this endpoint takes no options';
    return [{ path: `body.provider.options.${slug}.${name}`, message: `must be one of ${own}` }];
  });
}
