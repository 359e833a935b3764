/** Measures the text of a request as each target gets it, in every dialect. */
import type { Fields } from '../../../domain/fields.ts';
import type { Modality } from '../../../domain/modality.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import { type DefaultLimit, fieldsFor, type ProviderOptions } from '../../../providers/upstream-request.ts';
import { measurePrompt } from '../prompt/measure-prompt.ts';
import type { PromptFacts } from '../prompt/prompt-facts.ts';
import { answerCount, estimateText, limitOf, reasoningOf, type RequestedText } from './text-estimate.ts';
import type { ReadText } from './text-operation.ts';

/** The parts of a text request that depend on its measured text. */
interface MeasuredText extends Pick<ReadText, 'estimateAt' | 'promptAt'> {
  /** The prompt without the caller's options for a provider. */
  prompt: PromptFacts;
}

/**
 * Measures the fields of a request, and measures them again for a target whose provider gets options of the caller.
 * `fixed` are the facts that do not depend on the fields in this dialect.
 */
export function measureText(
  fields: Fields,
  options: ProviderOptions,
  defaultLimit: DefaultLimit,
  fixed: Partial<RequestedText> = {},
): MeasuredText {
  const askedAtMs = Date.now();
  const requested = toRequestedText(fields, fixed, askedAtMs);
  const requestedAt = (target: Target): RequestedText => {
    const sent = fieldsFor(target, fields, options);
    return sent === fields ? requested : toRequestedText(sent, fixed, askedAtMs);
  };
  return {
    prompt: requested.prompt,
    estimateAt: (target) => estimateText(target, requestedAt(target), defaultLimit(target)),
    promptAt: (target) => requestedAt(target).prompt,
  };
}

function toRequestedText(fields: Fields, fixed: Partial<RequestedText>, askedAtMs: number): RequestedText {
  const { n, modalities } = fields;
  return {
    prompt: measurePrompt(fields, undefined, askedAtMs),
    limit: limitOf(fields),
    answers: answerCount(n),
    reasoning: reasoningOf(fields),
    modalities: Array.isArray(modalities) ? (modalities as Modality[]) : ['text'],
    ...fixed,
  };
}
