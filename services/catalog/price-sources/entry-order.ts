/** Orders the entries of a price, of which later ones win. */
import type { PriceOverride } from '../../../domain/catalog/token-pricing.ts';

/**
 * Compares entries: those of service tiers come after the standard ones, later dates after earlier ones, and longer
 * prompts after shorter ones. Equal entries keep their order.
 */
export function byPrecedence(a: PriceOverride, b: PriceOverride): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  return rankA < rankB ? -1 : Number(rankA > rankB);
}

function rankOf({ serviceTier = '', validFrom = '', minPromptTokens = 0 }: PriceOverride): string {
  return [serviceTier, validFrom, String(minPromptTokens).padStart(10, '0')].join('\n');
}
