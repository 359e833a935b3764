import type { Modality } from '../../../domain/modality.ts';
import { costOfOutput, outputTokensFor } from '../../../domain/catalog/token-price.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import { costOfPrompt } from '../held-prompt.ts';
import type { PromptFacts } from '../prompt-facts.ts';
import type { TargetEstimate } from './hold.ts';

/** The part of a text request that determines its cost, as it is sent to a target. */
export interface AskedText {
  prompt: PromptFacts;
  /** The longest answer that the caller allows, in tokens; undefined when the caller sets no limit. */
  limit: number | undefined;
  /** The number of requested answers. */
  answers: number;
  thoughts: AskedThoughts;
  /** The kinds of media that an answer may contain. */
  modalities: readonly Modality[];
}

/** The tokens of each answer for thoughts; both 0 when the model is not asked to think. */
export interface AskedThoughts {
  least: number;
  /** Infinity when the caller sets an effort but no budget. */
  most: number;
}

/** The least tokens that are reserved, if the endpoint makes answers that long. Shorter answers are of little use. */
const LEAST_TOKENS = 1_024;

/**
 * Returns the highest cost of a text request at a target. A limit of the caller counts in full. Without one, the
 * answer may be as long as the endpoint makes them. `usualLimit` is the limit that the adapter then sends, for
 * vendors that require one. The adapter adds the thoughts to it, at most as many tokens again when the caller sets no
 * budget.
 */
export function estimateText(target: Target, asked: AskedText, usualLimit = Infinity): TargetEstimate {
  const { pricing } = target.endpoint;
  const { prompt, limit, answers, thoughts, modalities } = asked;
  const usual = usualLimit + Math.min(thoughts.most, usualLimit);
  const longest = limit ?? Math.min(usual, longestAnswer(target, prompt));
  const least = limit === undefined ? Math.min(leastTokens(asked), longest * answers) : limit * answers;
  return {
    fixed: costOfPrompt(target, prompt),
    output: {
      least: costOfOutput(pricing, least, modalities),
      most: longest === Infinity ? null : costOfOutput(pricing, longest * answers, modalities),
      tokensFor: (money) => Math.floor(outputTokensFor(pricing, money, modalities) / answers),
      ...(limit === undefined ? { longest } : {}),
    },
  };
}

/**
 * Returns the least tokens to reserve. A request that thinks needs room for its thoughts and an answer, and each
 * answer has at least one token.
 */
function leastTokens({ thoughts, answers }: AskedText): number {
  return thoughts.least === 0 ? Math.max(LEAST_TOKENS, answers) : (thoughts.least + LEAST_TOKENS) * answers;
}

/** Returns the longest answer that the endpoint makes, else the longest that its context has room for. */
function longestAnswer({ endpoint, model }: Target, { estimatedTokens }: PromptFacts): number {
  const { maxCompletionTokens, contextLength } = endpoint;
  const context = contextLength ?? model.contextLength ?? Infinity;
  return maxCompletionTokens ?? Math.max(1, context - estimatedTokens);
}

/**
 * Returns the largest limit on an answer's tokens in the request, or undefined when there is none. The names of all
 * dialects are read, because a field of another dialect is passed on and the upstream may apply it. Options for one
 * provider are not validated, so a limit may have any type. A numeric text counts as a number, because some upstreams
 * convert it.
 */
export function limitOf(fields: Readonly<Record<string, unknown>>): number | undefined {
  const limits = [fields['max_tokens'], fields['max_completion_tokens'], fields['max_output_tokens']];
  const known = limits.map(toCount).filter((limit) => limit !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Returns the number of requested answers; one when the request does not say. */
export function answerCount(n: unknown): number {
  return toCount(n) ?? 1;
}

/** The largest count that is used. At any price, it stays within what the ledger can hold. */
const MAX_COUNT = 1e9;

function toCount(value: unknown): number | undefined {
  const isSaid = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
  const count = isSaid ? Math.ceil(Number(value)) : NaN;
  return count >= 1 ? Math.min(count, MAX_COUNT) : undefined;
}

/** The least tokens that vendors give to thoughts. */
const LEAST_THOUGHTS = 1_024;

const NO_THOUGHTS: AskedThoughts = { least: 0, most: 0 };
const UNBUDGETED: AskedThoughts = { least: LEAST_THOUGHTS, most: Infinity };

/**
 * Returns the requested thoughts, by the fields of all three dialects, because fields of another dialect are passed
 * on as well.
 */
export function thoughtsOf(fields: Readonly<Record<string, unknown>>): AskedThoughts {
  const { effort, max_tokens: budget, enabled } = objectOf(fields['reasoning']);
  const { type, budget_tokens: tokens } = objectOf(fields['thinking']);
  const known = toCount(type === 'enabled' ? tokens : undefined) ?? toCount(budget);
  const said = effort ?? fields['reasoning_effort'];
  if (type === 'disabled' || (type === undefined && (enabled === false || said === 'none')))
    return NO_THOUGHTS;
  if (known !== undefined) return { least: known, most: known };
  const thinks = type === 'enabled' || type === 'adaptive' || enabled === true || typeof said === 'string';
  return thinks ? UNBUDGETED : NO_THOUGHTS;
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
