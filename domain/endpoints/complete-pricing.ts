/** Completes the prices of a private endpoint from the prices of the public model. */
import {
  PRICE_NAMES,
  type PriceOverride,
  type TokenPrices,
  type TokenPricing,
} from '../catalog/token-pricing.ts';
import { withoutUndefined } from '../fields.ts';
import { formatPrice, parsePrice } from '../catalog/token-price.ts';
import type { PrivatePricing } from './private-endpoint.ts';

/** Prices as a customer sends them. */
export type StatedPricing = Pick<PrivatePricing, 'prompt' | 'completion'> & Partial<PrivatePricing>;

/**
 * Fills in the prices that a customer left out. An absent cache price keeps its ratio to the prompt's price at the
 * public endpoint; without such a ratio it equals the prompt's price. The same holds for each entry of `overrides` that
 * has a price of the prompt. Without any prices the public ones apply, with their overrides.
 */
export function completePricing(
  stated: StatedPricing | undefined,
  listed: TokenPricing | undefined,
): PrivatePricing {
  const { prompt, completion } = stated ?? listed ?? { prompt: '0', completion: '0' };
  const isPublic = stated === undefined;
  const derived = (ofPublic: string | undefined, promptPrice: string): string =>
    listed === undefined || ofPublic === undefined
      ? promptPrice
      : inRatio(promptPrice, ofPublic, listed.prompt);
  const { inputCacheRead: publicRead, inputCacheWrite: publicWrite } = listed ?? {};
  const ownRead = isPublic ? publicRead : stated.cacheRead;
  const ownWrite = isPublic ? publicWrite : stated.cacheWrite;
  const entries = isPublic ? ownPartOf(listed?.overrides) : stated.overrides;
  return {
    prompt,
    completion,
    cacheRead: ownRead ?? derived(publicRead, prompt),
    cacheWrite: ownWrite ?? derived(publicWrite, prompt),
    overrides: entries?.map((entry) => {
      if (entry.prompt === undefined) return entry;
      const read = ownRead === undefined ? derived(publicRead, entry.prompt) : undefined;
      const write = ownWrite === undefined ? derived(publicWrite, entry.prompt) : undefined;
      return { ...withoutUndefined({ inputCacheRead: read, inputCacheWrite: write }), ...entry };
    }),
  };
}

/** Returns `price * part / whole`, rounded half up to 10⁻¹⁸ dollars; the price itself if the whole is zero. */
function inRatio(price: string, part: string, whole: string): string {
  const divisor = parsePrice(whole);
  if (divisor === 0n || part === whole) return price;
  const product = parsePrice(price) * parsePrice(part);
  return formatPrice((2n * product + divisor) / (2n * divisor));
}

/** The prices that a private endpoint can have. The public endpoint may have others, such as one for each request. */
const OWN_PRICES: readonly (keyof TokenPrices)[] = [
  'prompt',
  'completion',
  'inputCacheRead',
  'inputCacheWrite',
  'inputCacheWriteHour',
];

/** Returns the public overrides with the prices that a private endpoint can have, without empty ones. */
function ownPartOf(overrides: readonly PriceOverride[] | undefined): PriceOverride[] | undefined {
  const others = PRICE_NAMES.filter((name) => !OWN_PRICES.includes(name));
  const own = (overrides ?? []).flatMap((entry) => {
    const kept = { ...entry };
    for (const name of others) delete kept[name];
    return OWN_PRICES.some((name) => kept[name] !== undefined) ? [kept] : [];
  });
  return own.length === 0 ? undefined : own;
}
