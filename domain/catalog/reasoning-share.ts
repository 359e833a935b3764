import type { ModelReasoning, ReasoningEffort } from './model-facts.ts';

/** For a request that does not say how long its answer may be. */
export const USUAL_MAX_TOKENS = 32_000;

/** The shares of an answer that efforts stand for are those of OpenRouter's reference ("Reasoning Tokens"). */
const SHARES: Readonly<Record<Exclude<ReasoningEffort, 'none'>, number>> = {
  max: 0.95,
  xhigh: 0.95,
  high: 0.8,
  medium: 0.5,
  low: 0.2,
  minimal: 0.1,
};

/**
 * By which of the two words a model is told how hard to reason, where it takes only one of them; undefined where it
 * takes both, or where nobody knows.
 */
export function reasonsBy(reasoning: ModelReasoning | null | undefined): 'effort' | 'tokens' | undefined {
  if (reasoning === null || reasoning === undefined) return undefined;
  const takesTokens = reasoning.supportsMaxTokens === true;
  const takesEfforts = (reasoning.supportedEfforts ?? null) !== null;
  if (takesTokens === takesEfforts) return undefined;
  return takesTokens ? 'tokens' : 'effort';
}

/** The effort that is nearest to a budget. `maxTokens`: of the whole answer, if the request says so. */
export function effortOfBudget(budget: number, maxTokens: unknown): 'high' | 'medium' | 'low' {
  const share = budget / (typeof maxTokens === 'number' ? maxTokens : USUAL_MAX_TOKENS);
  if (share >= 0.65) return 'high';
  return share >= 0.35 ? 'medium' : 'low';
}

/** The reverse, in tokens; of an effort that nobody knows that of `medium`. */
export function budgetOfEffort(effort: unknown, maxTokens: unknown): number {
  const share = Object.hasOwn(SHARES, effort as string) ? SHARES[effort as keyof typeof SHARES] : 0.5;
  return Math.floor(share * (typeof maxTokens === 'number' ? maxTokens : USUAL_MAX_TOKENS));
}
