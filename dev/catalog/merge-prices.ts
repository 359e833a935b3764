/** Merges the prices that two sources have of one model. */
import type { PriceOverride, TokenPrices } from '../../domain/catalog/token-pricing.ts';
import { byPrecedence } from '../../services/catalog/price-sources/entry-order.ts';
import type { SourcePricing } from '../../services/catalog/price-sources/source-model.ts';
import { splitOverride } from '../../services/catalog/price-sources/split-override.ts';

/** Returns the prices of both sources, and what they state differently. */
export function mergePricing(
  first: SourcePricing,
  second: SourcePricing,
): { pricing: SourcePricing; differences: string[] } {
  const differences: string[] = [];
  const merge = (a: Partial<TokenPrices>, b: Partial<TokenPrices>, when: string): Partial<TokenPrices> => {
    for (const [name, price] of Object.entries(b) as [keyof TokenPrices, string][]) {
      const other = a[name];
      if (other !== undefined && other !== price) differences.push(`${name}${when}: ${other} or ${price}`);
    }
    return { ...b, ...a };
  };
  const { overrides: firstEntries, ...firstBase } = first;
  const { overrides: secondEntries, ...secondBase } = second;
  if (stepsOf(first) !== stepsOf(second)) {
    differences.push(`steps above ${stepsOf(first) || 'no'} or ${stepsOf(second) || 'no'} tokens`);
  }
  const entries = new Map<string, PriceOverride>();
  for (const entry of [...firstEntries, ...secondEntries]) {
    const { conditions, prices } = splitOverride(entry);
    const key = JSON.stringify(Object.entries(conditions).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const known = entries.get(key);
    entries.set(key, {
      ...conditions,
      ...merge(known ? splitOverride(known).prices : {}, prices, ` when ${key}`),
    });
  }
  const overrides = [...entries.values()].toSorted(byPrecedence);
  return { pricing: { ...merge(firstBase, secondBase, ''), overrides }, differences };
}

/** Returns the lengths at which the standard prices change. */
function stepsOf({ overrides }: SourcePricing): string {
  const steps = overrides.filter(({ serviceTier }) => serviceTier === undefined);
  return steps.flatMap(({ minPromptTokens }) => minPromptTokens ?? []).join(', ');
}
