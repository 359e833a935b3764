/** Bills speech that ends now, by the prices that apply to it. */
import type { LiveEndpoint } from '../../../domain/catalog/catalog.ts';
import { endOf, type PricedRequest, pricedFor } from '../applicable-prices.ts';
import type { Billed } from '../pipeline/live-operation.ts';
import { toMediaBill } from '../to-bill.ts';
import type { SpeechBill } from './speech-facts.ts';

/**
 * Returns the bill of speech, which `bill` computes at the prices that apply. `promptTokens` decide about these prices.
 * Tokens are always the gateway's estimate, because no vendor counts them; characters and seconds are exact.
 */
export function billSpeechNow(
  endpoint: LiveEndpoint,
  priced: PricedRequest,
  promptTokens: number,
  bill: (endpoint: LiveEndpoint) => SpeechBill,
  isEstimated = false,
): Pick<Billed, 'usage' | 'costNanos' | 'prices' | 'mediaUsage' | 'unusual' | 'bill'> {
  const endMs = endOf(priced);
  const at = pricedFor(endpoint, priced, 'audio', promptTokens, endMs);
  const { usage, tokens, media, unusual, costNanos } = bill(at);
  const counts = { endMs, promptTokens, tokens, media };
  return {
    usage,
    costNanos,
    prices: at.pricing,
    mediaUsage: media,
    unusual,
    bill: toMediaBill(at, priced, 'audio', counts, { isEstimated: isEstimated || usage !== null, unusual }),
  };
}

/** Bills speech whose caller left. It costs the estimated whole, because the endpoint speaks on anyway. */
export function billAbandonedSpeech(...args: Parameters<typeof billSpeechNow>): Billed {
  const [endpoint, priced, promptTokens, estimate] = args;
  const { costNanos, bill } = billSpeechNow(endpoint, priced, promptTokens, estimate, true);
  return { usage: null, costNanos, outputModalities: [], bill };
}
