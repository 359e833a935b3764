import type { Modality } from '../../../domain/generation.ts';
import { costOfOutput, outputTokensFor } from '../../../domain/token-price.ts';
import type { Target } from '../../../domain/routing.ts';
import { costOfPrompt } from '../held-prompt.ts';
import type { PromptFacts } from '../prompt-facts.ts';
import type { TargetEstimate } from './hold.ts';

/** What the fields that a target is sent ask for. */
export interface AskedText {
  prompt: PromptFacts;
  /** The longest answer that the caller allows, in tokens; undefined where the caller does not say. */
  limit: number | undefined;
  /** How many answers. */
  answers: number;
  /** Tokens of each answer that are for thoughts; 0 where the model is not told to think. */
  thoughts: number;
  /** What an answer may have beside text. */
  modalities: readonly Modality[];
}

/** An answer of less is not worth having: this is held at least, if the endpoint makes answers as long. */
const LEAST_TOKENS = 1_024;

/**
 * Returns what a text request may cost at a target. The caller's limit is counted in full. Without one the answer may
 * be as long as the endpoint makes them: `usualLimit` is what its adapter sends, thoughts not included, where the
 * vendor insists on a limit.
 */
export function estimateText(target: Target, asked: AskedText, usualLimit = Infinity): TargetEstimate {
  const { pricing } = target.endpoint;
  const { prompt, limit, answers, thoughts, modalities } = asked;
  const longest = limit ?? Math.min(usualLimit + thoughts, longestAnswer(target, prompt));
  const least = limit === undefined ? Math.min(leastTokens(asked), longest * answers) : limit * answers;
  return {
    fixed: costOfPrompt(target.endpoint, prompt),
    output: {
      least: costOfOutput(pricing, least, modalities),
      most: longest === Infinity ? null : costOfOutput(pricing, longest * answers, modalities),
      tokensFor: (money) => Math.floor(outputTokensFor(pricing, money, modalities) / answers),
      ...(limit === undefined ? { longest } : {}),
    },
  };
}

/** What thinks needs room for an answer behind its thoughts. */
function leastTokens({ thoughts, answers }: AskedText): number {
  return thoughts === 0 ? LEAST_TOKENS : (thoughts + LEAST_TOKENS) * answers;
}

/** What the endpoint makes at most, else what its context leaves. */
function longestAnswer({ endpoint, model }: Target, { estimatedTokens }: PromptFacts): number {
  const { maxCompletionTokens, contextLength } = endpoint;
  const context = contextLength ?? model.contextLength ?? Infinity;
  return maxCompletionTokens ?? Math.max(1, context - estimatedTokens);
}

/**
 * Returns the largest of the limits that the upstream is sent, or undefined when none says anything. Options for one
 * provider are not validated, so a limit may be of any type; upstreams that coerce take a numeric text for a number,
 * and so does this.
 */
export function largestLimit(...limits: unknown[]): number | undefined {
  const known = limits.map(toCount).filter((limit) => limit !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
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

/** Vendors that are told how hard to think, but not for how long, are given no less room than this for it. */
const LEAST_THOUGHTS = 1_024;

/** Returns how many tokens of an answer are for thoughts, by the words of a chat or a responses request. */
export function thoughtsOf(reasoning: unknown, reasoningEffort?: unknown): number {
  const { effort, max_tokens: budget, enabled } = (reasoning ?? {}) as Record<string, unknown>;
  const said = effort ?? reasoningEffort;
  if (enabled === false || said === 'none') return 0;
  const wished = toCount(budget);
  if (wished !== undefined) return wished;
  return enabled === true || typeof said === 'string' ? LEAST_THOUGHTS : 0;
}

/** Returns the same by the words of a messages request. */
export function thoughtsIn(thinking: unknown): number {
  const { type, budget_tokens: budget } = (thinking ?? {}) as Record<string, unknown>;
  if (type === 'enabled') return toCount(budget) ?? LEAST_THOUGHTS;
  return type === 'adaptive' ? LEAST_THOUGHTS : 0;
}
