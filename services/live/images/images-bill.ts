/** Computes the price of generated pictures from an upstream's count or from estimates. */
import type { TokenPrices, TokenPricing } from '../../../domain/catalog/token-pricing.ts';
import type { TokenUsage } from '../../../domain/token-usage.ts';
import type { Amount } from '../../../domain/amount.ts';
import { type UnitBasis, unitsOf } from '../../../domain/catalog/live-units.ts';
import { type ImageFit, megapixelsOf } from '../../../domain/live/image-fit.ts';
import type { MediaUsage } from '../../../domain/catalog/media-price.ts';
import { costOfCalls, type PricedCalls } from '../../../domain/catalog/priced-calls.ts';
import { type BilledPicture, pricesOfBilledPicture } from '../../../domain/ledger/bill.ts';
import { formatSize } from '../../../domain/pixel-size.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import type { TokenCost } from '../../../domain/catalog/token-price.ts';
import type { OpenAiUsage } from '../../../providers/chat-adapter.ts';
import type { StatedPicture } from '../../../providers/image-adapter.ts';
import { type BilledUnits, billUnits, type UnusualBill } from '../billed-units.ts';
import { showUsage, toTokenUsage } from '../token-usage.ts';
import { addImageNames, type ImagesUsage } from './images-usage.ts';

/** The parts of a request to an endpoint that determine its price. */
export interface ImagesRequestFacts {
  /** The tokens of the prompt's text, as far as they are known before the upstream has counted. */
  promptTokens: number;
  references: number;
  fit: ImageFit;
}

/** The output of an endpoint, as far as it determines the price. */
export interface ImagesMade {
  pictures: number;
  /** The number of drafts that were sent to the caller. */
  partials: number;
  /** The upstream's own count; undefined when it does not count. */
  counted: OpenAiUsage | undefined;
  /** The upstream's calls, where they have different prices. */
  calls?: PricedCalls | undefined;
  /** The size and quality that the upstream states; `unmade` before it has made the pictures. */
  stated: StatedPicture | 'unmade' | undefined;
  /** The vendor's own units; undefined when it reports none. */
  units?: Amount | undefined;
}

export interface ImagesBill {
  /** Null when there is no count and the endpoint does not charge for tokens. */
  usage: TokenUsage | null;
  /** The counted or estimated tokens, also when they cost nothing. */
  tokens: TokenUsage;
  picture: BilledPicture;
  media: MediaUsage;
  unusual: UnusualBill | undefined;
  /** The prices of the endpoint for pictures of this size and quality. */
  prices: TokenPrices;
  cost: TokenCost;
  shown: ImagesUsage;
}

/**
 * Estimates for endpoints that charge for tokens, used before the endpoint has counted. GPT Image 1 used 4,160 tokens
 * for a square of 1K at high quality, and its successors add 100 for each draft
 * (developers.openai.com/api/docs/guides/image-generation). The cost of a reference depends on its size; vendors charge
 * 1,000 tokens for a usual one.
 */
const TOKENS_PER_MEGAPIXEL = 4_000;
const TOKENS_PER_PARTIAL = 100;
const TOKENS_PER_REFERENCE = 1_000;

const NO_TOKENS: TokenUsage = { prompt: 0, completion: 0 };

/**
 * The parts of a target that determine the price: the endpoint, and whether the customer's own credentials are used.
 */
export type ImagesPlace = Pick<Target, 'endpoint' | 'own'>;

/** Returns the bill for the finished pictures, which may be fewer than the caller requested. */
export function billImages(place: ImagesPlace, request: ImagesRequestFacts, made: ImagesMade): ImagesBill {
  const { counted, pictures } = made;
  const picture = pictureOf(request.fit, made.stated);
  const pricing = pricesOfBilledPicture(place.endpoint.pricing, picture);
  const tokens = counted ? toTokenUsage(counted) : estimateUsage(request, made);
  const usage = counted || chargesTokens(pricing) ? tokens : null;
  const outputMegapixels = pictures * megapixelsOf(request.fit);
  const { unusual, ...units } = unitsAt(
    place.endpoint,
    { images: pictures, megapixels: outputMegapixels },
    made,
  );
  const media = {
    inputReferences: request.references,
    outputImages: pictures,
    outputMegapixels,
    ...units,
  };
  const [first, ...others] = made.calls ?? [{ prices: pricing, usage: usage ?? NO_TOKENS }];
  const calls: PricedCalls = [{ ...first, prices: pricesOfBilledPicture(first.prices, picture) }, ...others];
  const cost = costOfCalls(calls, 0, media);
  const shown = showUsage(usage ?? NO_TOKENS, cost, counted, place);
  return {
    usage,
    tokens,
    picture,
    media,
    unusual,
    prices: pricing,
    cost,
    shown: addImageNames(shown, usage, counted, request.references),
  };
}

/** Returns the vendor's own units, or the most that they can be before the pictures are made. */
function unitsAt(
  { units }: ImagesPlace['endpoint'],
  basis: UnitBasis,
  { stated, units: reported }: ImagesMade,
): Partial<BilledUnits> {
  if (units === undefined) return {};
  if (stated === 'unmade') return { billableUnits: Number(unitsOf(units.most, basis)) };
  return billUnits(units, basis, reported);
}

/** Returns the requested size and quality. The upstream's statement counts where the model chose. */
function pictureOf({ size, resolution, quality }: ImageFit, stated: ImagesMade['stated']): BilledPicture {
  const asked = {
    size: size && formatSize(size),
    resolution,
    quality: quality === 'auto' ? undefined : quality,
  };
  if (stated === 'unmade') return { ...asked, isUnmade: true };
  return {
    ...asked,
    size: asked.size ?? (resolution === undefined ? stated?.size : undefined),
    quality: asked.quality ?? stated?.quality,
  };
}

function chargesTokens({ prompt, completion, imageInput, imageOutput }: TokenPricing): boolean {
  return [prompt, completion, imageInput, imageOutput].some((price) => Number(price ?? 0) > 0);
}

function estimateUsage(
  { promptTokens, references, fit }: ImagesRequestFacts,
  { pictures, partials }: ImagesMade,
): TokenUsage {
  const promptImage = references * TOKENS_PER_REFERENCE;
  const ofPictures = Math.ceil(pictures * megapixelsOf(fit) * TOKENS_PER_MEGAPIXEL);
  const completionImage = ofPictures + partials * TOKENS_PER_PARTIAL;
  return {
    prompt: promptTokens + promptImage,
    completion: completionImage,
    promptImage: promptImage || undefined,
    completionImage: completionImage || undefined,
  };
}

/** Adds the usage of two pictures that were counted separately. Each of them stays known as a call. */
export function addUsage(a: OpenAiUsage | undefined, b: OpenAiUsage | undefined): OpenAiUsage | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const calls = [...(Array.isArray(a.calls) ? (a.calls as unknown[]) : [a]), b];
  return {
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: (a.completion_tokens ?? 0) + (b.completion_tokens ?? 0),
    prompt_tokens_details: addCounts(a.prompt_tokens_details, b.prompt_tokens_details),
    completion_tokens_details: addCounts(a.completion_tokens_details, b.completion_tokens_details),
    calls,
  };
}

type Counts = OpenAiUsage['prompt_tokens_details'];

function addCounts(a: Counts, b: Counts): { [name: string]: number } {
  const sums: { [name: string]: number } = {};
  for (const [name, count] of [...Object.entries(a ?? {}), ...Object.entries(b ?? {})]) {
    if (typeof count === 'number') sums[name] = (sums[name] ?? 0) + count;
  }
  return sums;
}
