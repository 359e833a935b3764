/** Finds the price of a picture by its size and quality. */
import { parsePrice } from './token-price.ts';
import type { TokenPricing } from './token-pricing.ts';

/** The facts about a picture on which its price may depend. An absent fact is chosen by the model. */
export interface PricedPicture {
  /** Pixels as `WIDTHxHEIGHT`. */
  size?: string | undefined;
  resolution?: string | undefined;
  quality?: string | undefined;
}

/** The names of qualities, which can stand alone in a variant's name. */
const QUALITIES: readonly string[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/**
 * Returns the prices of a picture that was made. Its variant may be named by size and quality, by size, or by quality;
 * the most specific one counts. A picture without a variant costs `outputImage`.
 */
export function pricesOfPicture(pricing: TokenPricing, picture: PricedPicture): TokenPricing {
  const { outputImages } = pricing;
  if (outputImages === undefined) return pricing;
  return withPrice(pricing, exactPrice(outputImages, picture));
}

/** Returns the highest prices that a picture can have whose size or quality the model may choose. */
export function highestPricesOfPicture(pricing: TokenPricing, picture: PricedPicture): TokenPricing {
  const { outputImages } = pricing;
  if (outputImages === undefined) return pricing;
  if (picture.quality !== undefined && hasSize(picture)) return pricesOfPicture(pricing, picture);
  const possible = Object.entries(outputImages)
    .filter(([variant]) => isPossible(variant, picture))
    .map(([, price]) => price);
  const prices = [...possible, ...(pricing.outputImage === undefined ? [] : [pricing.outputImage])];
  return withPrice(pricing, prices.toSorted((a, b) => Number(parsePrice(b) - parsePrice(a)))[0]);
}

function withPrice(pricing: TokenPricing, outputImage: string | undefined): TokenPricing {
  return outputImage === undefined ? pricing : { ...pricing, outputImage };
}

function exactPrice(prices: Record<string, string>, picture: PricedPicture): string | undefined {
  const { quality } = picture;
  const places = placesOf(picture);
  const names = [
    ...(quality === undefined ? [] : places.map((place) => `${place}_${quality}`)),
    ...places,
    ...(quality === undefined ? [] : [quality]),
  ];
  return names.map((name) => prices[name]).find((price) => price !== undefined);
}

function placesOf({ size, resolution }: PricedPicture): string[] {
  return [size, resolution?.toLowerCase()].filter((place) => place !== undefined);
}

function hasSize(picture: PricedPicture): boolean {
  return placesOf(picture).length > 0;
}

function isPossible(variant: string, picture: PricedPicture): boolean {
  const [first = '', second] = variant.split('_');
  const place = QUALITIES.includes(variant) ? undefined : first;
  const quality = QUALITIES.includes(variant) ? variant : second;
  const fitsPlace = place === undefined || !hasSize(picture) || placesOf(picture).includes(place);
  return fitsPlace && (quality === undefined || picture.quality === undefined || quality === picture.quality);
}
