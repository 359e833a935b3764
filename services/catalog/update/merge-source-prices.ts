/** Brings the prices of an endpoint up to those of a price source. */
import {
  type PriceConditions,
  type PriceOverride,
  type TokenPrices,
  type TokenPricing,
} from '../../../domain/catalog/token-pricing.ts';
import { byPrecedence } from '../price-sources/entry-order.ts';
import type { PriceSourceName } from '../price-sources/read-price-source.ts';
import type { SourcePricing } from '../price-sources/source-model.ts';
import { splitOverride } from '../price-sources/split-override.ts';

/** The conditions that each format can state. An entry with others stays as it is. */
const STATED: Record<PriceSourceName, (keyof PriceConditions)[]> = {
  'genai-prices': ['minPromptTokens', 'validFrom', 'utcStart', 'utcEnd'],
  litellm: ['minPromptTokens', 'serviceTier'],
  'models.dev': ['minPromptTokens'],
};

/**
 * Returns the endpoint's prices with those that the source states. A price that the source does not have at all stays,
 * and so do entries with conditions that its format cannot state. Other entries that the source lacks are dropped.
 */
export function mergeSourcePrices(
  before: TokenPricing,
  stated: SourcePricing,
  format: PriceSourceName,
): TokenPricing {
  const { overrides: entries = [], ...base } = before;
  const { overrides: statedEntries, ...statedBase } = stated;
  const merged = new Map(statedEntries.map((entry) => [keyOf(entry), entry]));
  const kept: PriceOverride[] = [];
  for (const entry of entries) {
    const { conditions, prices } = splitOverride(entry);
    if (Object.keys(conditions).some((name) => !STATED[format].includes(name as keyof PriceConditions))) {
      kept.push(entry);
      continue;
    }
    const unknown = Object.entries(prices).filter(
      ([name]) => statedBase[name as keyof TokenPrices] === undefined,
    );
    const replaced = merged.get(keyOf(entry));
    if (replaced === undefined && unknown.length === 0) continue;
    merged.set(keyOf(entry), { ...conditions, ...Object.fromEntries(unknown), ...replaced });
  }
  const overrides = [...merged.values(), ...kept].toSorted(byPrecedence);
  return { ...base, ...statedBase, ...(overrides.length > 0 && { overrides }) };
}

function keyOf(entry: PriceOverride): string {
  const { conditions } = splitOverride(entry);
  return JSON.stringify(Object.entries(conditions).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
