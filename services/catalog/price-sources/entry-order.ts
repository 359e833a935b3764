/** Orders the entries of a price, of which later ones win. */
import type { PriceOverride } from '../../../domain/catalog/token-pricing.ts';

/**
 * Compares entries: those of service tiers come after the standard ones, later dates after earlier ones, hours and days
 * after prices of all times, and longer prompts after shorter ones. Equal entries keep their order.
 */
export function byPrecedence(a: PriceOverride, b: PriceOverride): number {
  const [rankA, rankB] = [rankOf(a), rankOf(b)];
  return rankA < rankB ? -1 : Number(rankA > rankB);
}

function rankOf(entry: PriceOverride): string {
  const { serviceTier = '', validFrom = '', minPromptTokens = 0, utcStart, utcEnd, utcDays } = entry;
  const isTimed = utcStart !== undefined || utcDays !== undefined;
  const times = isTimed ? JSON.stringify([utcDays, utcStart, utcEnd]) : '';
  return [serviceTier, validFrom, times, String(minPromptTokens).padStart(10, '0')].join('\n');
}
