import type { Modality } from '../../../domain/modality.ts';
import { costOfOutput, outputTokensFor } from '../../../domain/catalog/token-price.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import { costOfPrompt } from '../held-prompt.ts';
import type { PromptFacts } from '../prompt-facts.ts';
import type { TargetEstimate } from './hold.ts';

/** The part of a text request that its cost follows from, as a target is sent it. */
export interface AskedText {
  prompt: PromptFacts;
  /** The longest answer that the caller allows, in tokens; undefined where the caller does not say. */
  limit: number | undefined;
  /** How many answers. */
  answers: number;
  thoughts: AskedThoughts;
  /** The kinds of media that an answer may have. */
  modalities: readonly Modality[];
}

/** How many tokens of each answer are for thoughts; both 0 where the model is not told to think. */
export interface AskedThoughts {
  least: number;
  /** Infinity where the caller says how hard to think, but not for how long. */
  most: number;
}

/** Shorter answers are of little use: so many tokens are held at least, if the endpoint makes answers as long. */
const LEAST_TOKENS = 1_024;

/**
 * Returns what a text request may cost at a target. The caller's limit is counted in full. Without one the answer may
 * be as long as the endpoint makes them. `usualLimit` is the limit that its adapter sends then, where the vendor insists
 * on one. The adapter adds the thoughts to it, of which there are no more than that if the caller sets no budget.
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

/** A request that thinks needs room for its thoughts and for an answer. Each answer has one token at least. */
function leastTokens({ thoughts, answers }: AskedText): number {
  return thoughts.least === 0 ? Math.max(LEAST_TOKENS, answers) : (thoughts.least + LEAST_TOKENS) * answers;
}

/** Returns the longest answer that the endpoint makes, else the one that its context leaves room for. */
function longestAnswer({ endpoint, model }: Target, { estimatedTokens }: PromptFacts): number {
  const { maxCompletionTokens, contextLength } = endpoint;
  const context = contextLength ?? model.contextLength ?? Infinity;
  return maxCompletionTokens ?? Math.max(1, context - estimatedTokens);
}

/**
 * Returns the largest limit of an answer's tokens that a request has, or undefined when it has none. All names are looked
 * for in every dialect: a field of another dialect is passed on, and the upstream may heed it. Options for one provider are
 * not validated, so a limit may be of any type; upstreams that coerce take a numeric text for a number, and so does this.
 */
export function limitOf(fields: Readonly<Record<string, unknown>>): number | undefined {
  const limits = [fields['max_tokens'], fields['max_completion_tokens'], fields['max_output_tokens']];
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

/** Vendors give thoughts no less room than this. */
const LEAST_THOUGHTS = 1_024;

const NO_THOUGHTS: AskedThoughts = { least: 0, most: 0 };
const UNBUDGETED: AskedThoughts = { least: LEAST_THOUGHTS, most: Infinity };

/**
 * Returns what a request wants for thoughts, by the words of all three dialects: those of another dialect are passed on as
 * well.
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
