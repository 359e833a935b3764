/** Estimates and bills a request for pictures that has been read and fitted to its endpoints. */
import type { LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import type { RequestedImages } from '../../../domain/live/image-request.ts';
import type { Nanos } from '../../../domain/money.ts';
import type { Billed } from '../pipeline/live-operation.ts';
import { billImages, type ImagesBill, type ImagesMade, type ImagesPlace } from './images-bill.ts';
import type { ImageFits, ImagesBody } from './images-request.ts';

/** A request for pictures with the facts for billing and presenting it. */
export interface ReadImages {
  body: ImagesBody;
  requested: RequestedImages;
  /** The fitted request to each endpoint. */
  fits: ImageFits;
}

/** Returns the bill for the output of an endpoint. */
export function billOf(
  { body, requested, fits }: ReadImages,
  place: ImagesPlace,
  made: ImagesMade,
): ImagesBill {
  const facts = {
    prompt: body.prompt,
    references: requested.references.length,
    fit: fits.of(place.endpoint),
  };
  return billImages(place, facts, made);
}

/** The largest number of drafts that any vendor makes of a picture. */
const MOST_DRAFTS = 3;

/** Estimates the cost of a number of pictures, and of a stream's drafts. */
export function estimateCost(read: ReadImages, endpoint: LiveEndpoint, pictures: number): Nanos {
  const partials = read.body.stream === true && endpoint.image?.streaming === true ? MOST_DRAFTS : 0;
  const made = { pictures, partials: partials * pictures, counted: undefined };
  return billOf(read, { endpoint }, made).cost.totalNanos;
}

export function billedOf(
  { requested }: ReadImages,
  { pictures }: ImagesMade,
  { usage, media, cost }: ImagesBill,
): Billed {
  return {
    usage,
    costNanos: cost.totalNanos,
    mediaUsage: media,
    outputModalities: ['image'],
    finishReason: 'stop',
    mediaPrompt: requested.references.length,
    mediaCompletion: pictures,
  };
}
