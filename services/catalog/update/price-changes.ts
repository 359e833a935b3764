/** Lists how the prices of endpoints change. */
import type { LiveEndpoint, VideoEndpoint } from '../../../domain/catalog/catalog.ts';
import { parsePrice } from '../../../domain/catalog/token-price.ts';
import { splitOverride } from '../price-sources/split-override.ts';

export interface PriceChange {
  what: 'dearer' | 'cheaper' | 'new' | 'gone';
  endpointId: string;
  /** The price, and its conditions if it has some: `prompt, minPromptTokens 272000`. */
  price: string;
  isConditional: boolean;
  /** Undefined for a new price. */
  before?: string | undefined;
  /** Undefined for a price that is gone. */
  after?: string | undefined;
}

/** Returns the changes of one endpoint's prices. All prices of an endpoint without a predecessor are new. */
export function priceChanges(
  before: LiveEndpoint | VideoEndpoint | undefined,
  after: LiveEndpoint | VideoEndpoint,
): PriceChange[] {
  const [old, now] = [before === undefined ? new Map<string, string>() : pricesOf(before), pricesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((price) => {
    const change = {
      price,
      isConditional: price.includes(','),
      before: old.get(price),
      after: now.get(price),
    };
    const what = verdictOn(change);
    return what === undefined ? [] : [{ what, endpointId: after.id, ...change }];
  });
}

function verdictOn({
  before,
  after,
}: Pick<PriceChange, 'before' | 'after'>): PriceChange['what'] | undefined {
  if (before === undefined) return 'new';
  if (after === undefined) return 'gone';
  const difference = parsePrice(after) - parsePrice(before);
  if (difference === 0n) return undefined;
  return difference > 0n ? 'dearer' : 'cheaper';
}

/** Returns all prices of an endpoint, by a name that also has the conditions. */
function pricesOf(endpoint: LiveEndpoint | VideoEndpoint): Map<string, string> {
  if (!('pricing' in endpoint)) return new Map(Object.entries(endpoint.pricingSkus));
  const { overrides = [], outputImages = {}, ...base } = endpoint.pricing;
  const pictures = Object.entries(outputImages).map(([variant, price]): [string, string] => [
    `outputImages ${variant}`,
    price,
  ]);
  const conditional = overrides.flatMap((entry) => {
    const { conditions, prices } = splitOverride(entry);
    const when = Object.entries(conditions)
      .map(([name, value]) => `${name} ${String(value)}`)
      .toSorted();
    return Object.entries(prices).map(([name, price]): [string, string] => [
      [name, ...when].join(', '),
      price,
    ]);
  });
  return new Map([...Object.entries(base), ...pictures, ...conditional]);
}
