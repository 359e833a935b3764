/** Converts reasoning efforts to token budgets and back, for models that take only one of them. */
import type { ModelReasoning, ReasoningEffort } from './model-facts.ts';

/** The assumed length of an answer if the request sets no limit. */
export const DEFAULT_MAX_TOKENS = 32_000;

/** The share of an answer that each effort allows for reasoning, as in OpenRouter's reference ("Reasoning Tokens"). */
const SHARES: Readonly<Record<Exclude<ReasoningEffort, 'none'>, number>> = {
  max: 0.95,
  xhigh: 0.95,
  high: 0.8,
  medium: 0.5,
  low: 0.2,
  minimal: 0.1,
};

/** Returns which of the two parameters the model takes for reasoning; undefined if it takes both or if unknown. */
export function reasonsBy(reasoning: ModelReasoning | null | undefined): 'effort' | 'tokens' | undefined {
  if (reasoning === null || reasoning === undefined) return undefined;
  const takesTokens = reasoning.supportsMaxTokens === true;
  const takesEfforts = (reasoning.supportedEfforts ?? null) !== null;
  if (takesTokens === takesEfforts) return undefined;
  return takesTokens ? 'tokens' : 'effort';
}

/** Returns the effort nearest to a budget. `maxTokens` is the limit of the whole answer, if the request sets one. */
export function effortOfBudget(budget: number, maxTokens: unknown): 'high' | 'medium' | 'low' {
  const share = budget / (typeof maxTokens === 'number' ? maxTokens : DEFAULT_MAX_TOKENS);
  if (share >= 0.65) return 'high';
  return share >= 0.35 ? 'medium' : 'low';
}

/** Returns the budget in tokens for an effort. An unknown effort counts as `medium`. */
export function budgetOfEffort(effort: unknown, maxTokens: unknown): number {
  const share = Object.hasOwn(SHARES, effort as string) ? SHARES[effort as keyof typeof SHARES] : 0.5;
  return Math.floor(share * (typeof maxTokens === 'number' ? maxTokens : DEFAULT_MAX_TOKENS));
}
