import type { Nanos } from '../../../domain/money.ts';
import type { Target } from '../../../domain/routing.ts';
import { costOfTokens } from '../../../domain/token-price.ts';
import type { PromptFacts } from '../prompt-facts.ts';

/** The tokens that a request takes, and those that its answers may have together. */
export interface MostTokens {
  prompt: PromptFacts;
  completion: number;
}

/** Returns the most that a request may cost at a target. */
export function mostCost({ endpoint }: Target, { prompt, completion }: MostTokens): Nanos {
  const tokens = { prompt: prompt.estimatedTokens, completion };
  return costOfTokens(endpoint.pricing, tokens, prompt.images).totalNanos;
}

/** How many tokens an answer may have when the request does not say (design: §8). */
const USUAL_OUTPUT_TOKENS = 1_024;

/**
 * Returns how many tokens an answer may have: the largest of the limits that the upstream is sent, or the usual number
 * when none says anything. Options for one provider are not validated, so a limit may be of any type; upstreams that
 * coerce take a numeric text for a number, and so does this.
 */
export function outputTokens(...limits: unknown[]): number {
  const known = limits.map(toCount).filter((limit) => limit !== undefined);
  return known.length === 0 ? USUAL_OUTPUT_TOKENS : Math.max(...known);
}

/** Returns how many answers are asked for; one when the request does not say. */
export function answerCount(n: unknown): number {
  return toCount(n) ?? 1;
}

/** No price times this number of tokens is beyond what the ledger can hold. */
const MAX_COUNT = 1e9;

function toCount(value: unknown): number | undefined {
  const isSaid = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
  const count = isSaid ? Math.ceil(Number(value)) : NaN;
  return count >= 1 ? Math.min(count, MAX_COUNT) : undefined;
}
