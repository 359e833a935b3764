/** Estimates the cost of a text request, so that money can be reserved for it. */
import type { Modality } from '../../../domain/modality.ts';
import { costOfOutput, outputTokensFor } from '../../../domain/catalog/token-price.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import { costOfPrompt, mostCostOfPrompt, pricesToReserve } from '../prompt/prompt-cost.ts';
import type { PromptFacts } from '../prompt/prompt-facts.ts';
import type { TargetEstimate } from './target-reservation.ts';

/** The parts of a text request, as a target gets it, that determine its cost. */
export interface RequestedText {
  prompt: PromptFacts;
  /** The longest answer that the caller allows, in tokens; undefined when the caller sets no limit. */
  limit: number | undefined;
  /** The number of requested answers. */
  answers: number;
  reasoning: RequestedReasoning;
  /** The kinds of media that an answer may contain. */
  modalities: readonly Modality[];
}

/**
 * The number of tokens that the model may use for reasoning in each answer. Both are 0 when the model is not asked to
 * think.
 */
export interface RequestedReasoning {
  least: number;
  /** Infinity when the caller requests reasoning without a budget. */
  most: number;
}

/**
 * The smallest reservation for an answer, in tokens, because shorter answers are of little use. Smaller if the
 * endpoint's longest answer is shorter.
 */
const LEAST_TOKENS = 1_024;

/**
 * Returns the highest cost of a text request at a target. A limit of the caller counts in full. Without one, the
 * longest answer of the endpoint counts. `defaultLimit` is the limit that the adapter then sends, for vendors that
 * require one. The adapter adds the reasoning to it, at most as many tokens again when the caller sets no budget.
 */
export function estimateText(
  target: Target,
  requested: RequestedText,
  defaultLimit = Infinity,
): TargetEstimate {
  const { prompt, limit, answers, reasoning, modalities } = requested;
  const prices = pricesToReserve(target, prompt, modalities);
  const longestByDefault = defaultLimit + Math.min(reasoning.most, defaultLimit);
  const longest = limit ?? Math.min(longestByDefault, longestAnswer(target, prompt));
  const least = limit === undefined ? Math.min(leastTokens(requested), longest * answers) : limit * answers;
  return {
    fixed: costOfPrompt(target, prompt, prices),
    mostFixed: mostCostOfPrompt(target, prompt, prices),
    output: {
      least: costOfOutput(prices, least, modalities),
      most: longest === Infinity ? null : costOfOutput(prices, longest * answers, modalities),
      tokensFor: (money) => Math.floor(outputTokensFor(prices, money, modalities) / answers),
      longest: limit === undefined ? longest : undefined,
    },
  };
}

/**
 * Returns the least tokens to reserve. A request that thinks needs room for its thoughts and an answer. Each answer
 * needs at least one token.
 */
function leastTokens({ reasoning, answers }: RequestedText): number {
  return reasoning.least === 0 ? Math.max(LEAST_TOKENS, answers) : (reasoning.least + LEAST_TOKENS) * answers;
}

/** Returns the longest answer of the endpoint, or else the longest that its context has room for. */
function longestAnswer({ endpoint, model }: Target, { estimatedTokens }: PromptFacts): number {
  const { maxCompletionTokens, contextLength } = endpoint;
  const context = contextLength ?? model.contextLength ?? Infinity;
  return maxCompletionTokens ?? Math.max(1, context - estimatedTokens);
}

/**
 * Returns the largest limit on an answer's tokens in the request, or undefined when there is none. Reads the names of
 * all dialects, because the gateway passes on fields of other dialects and the upstream may apply them. Options for one
 * provider are not validated, so a limit may have any type. A numeric text counts as a number, because some upstreams
 * convert it.
 */
export function limitOf(fields: Readonly<Record<string, unknown>>): number | undefined {
  const limits = [fields['max_tokens'], fields['max_completion_tokens'], fields['max_output_tokens']];
  const known = limits.map(toCount).filter((limit) => limit !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Returns the number of requested answers; one when the request does not have it. */
export function answerCount(n: unknown): number {
  return toCount(n) ?? 1;
}

/** The largest count that is used. At any price, the cost of this many tokens fits into the ledger's column. */
const MAX_COUNT = 1e9;

function toCount(value: unknown): number | undefined {
  const isNumeric = typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
  const count = isNumeric ? Math.ceil(Number(value)) : NaN;
  return count >= 1 ? Math.min(count, MAX_COUNT) : undefined;
}

/** The smallest number of tokens that vendors give to reasoning. */
const MIN_REASONING_TOKENS = 1_024;

const NO_REASONING: RequestedReasoning = { least: 0, most: 0 };
const UNBUDGETED: RequestedReasoning = { least: MIN_REASONING_TOKENS, most: Infinity };

/**
 * Returns the requested reasoning. Reads the fields of all three dialects, because the gateway passes on fields of
 * other dialects.
 */
export function reasoningOf(fields: Readonly<Record<string, unknown>>): RequestedReasoning {
  const { effort, max_tokens: budget, enabled } = objectOf(fields['reasoning']);
  const { type, budget_tokens: tokens } = objectOf(fields['thinking']);
  const known = toCount(type === 'enabled' ? tokens : undefined) ?? toCount(budget);
  const requestedEffort = effort ?? fields['reasoning_effort'];
  if (type === 'disabled' || (type === undefined && (enabled === false || requestedEffort === 'none')))
    return NO_REASONING;
  if (known !== undefined) return { least: known, most: known };
  const thinks =
    type === 'enabled' || type === 'adaptive' || enabled === true || typeof requestedEffort === 'string';
  return thinks ? UNBUDGETED : NO_REASONING;
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
