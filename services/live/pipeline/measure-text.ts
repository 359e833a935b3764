/** Measures the text of a request as each target gets it, in every dialect. */
import { priceRank } from '../../../domain/catalog/token-price.ts';
import { hasPricesForTier } from '../../../domain/catalog/dated-prices.ts';
import type { Issue } from '../../../domain/errors.ts';
import type { Fields } from '../../../domain/fields.ts';
import { isStandardTier, pricedTierOf } from '../../../domain/live/service-tier.ts';
import type { Modality } from '../../../domain/modality.ts';
import type { Target } from '../../../domain/routing/routing.ts';
import { type DefaultLimit, fieldsFor, type ProviderOptions } from '../../../providers/upstream-request.ts';
import { likelyPrices, pricesToReserve } from '../prompt/prompt-cost.ts';
import { measurePrompt } from '../prompt/measure-prompt.ts';
import type { PromptFacts } from '../prompt/prompt-facts.ts';
import { answerCount, estimateText, limitOf, reasoningOf, type RequestedText } from './text-estimate.ts';
import type { ReadText } from './text-operation.ts';

/** The parts of a text request that depend on its measured text. */
interface MeasuredText extends Pick<
  ReadText,
  'issuesAt' | 'costAt' | 'highestPricesAt' | 'estimateAt' | 'promptAt'
> {
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
    issuesAt: asksForTier(fields, options) ? (target) => tierIssues(target, fields, options) : undefined,
    costAt: (target) =>
      priceRank(likelyPrices(target, () => requestedAt(target).prompt, requested.modalities)),
    highestPricesAt(target) {
      const { prompt, modalities } = requestedAt(target);
      return pricesToReserve(target, prompt, modalities);
    },
    estimateAt: (target) => estimateText(target, requestedAt(target), defaultLimit(target)),
    promptAt: (target) => requestedAt(target).prompt,
  };
}

function asksForTier(fields: Fields, options: ProviderOptions): boolean {
  return [fields, ...Object.values(options ?? {})].some((some) => !isStandardTier(some['service_tier']));
}

/** Returns the issue of a request for a service tier that has no price at the target (ADR 0026). */
function tierIssues(target: Target, fields: Fields, options: ProviderOptions): Issue[] {
  const { endpoint } = target;
  const value = fieldsFor(target, fields, options)['service_tier'];
  const tier = pricedTierOf(value);
  if (isStandardTier(value) || (tier !== undefined && hasPricesForTier(endpoint.pricing, tier, Date.now())))
    return [];
  const place = 'service_tier' in fields ? 'body' : `body.provider.options.${endpoint.providerSlug}`;
  const message = `must be a tier that ${endpoint.modelId} has prices for, or \`auto\` or \`default\``;
  return [{ path: `${place}.service_tier`, message }];
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
