import type { LiveEndpoint } from '../../domain/catalog/catalog.ts';
import { type PrivateEndpoint, toTokenPricing } from '../../domain/endpoints/private-endpoint.ts';

/**
 * Returns a private endpoint as routing and pricing read it. Undeclared limits and parameters are taken from the public
 * endpoint of the model at the provider, otherwise from the model's first endpoint. An undeclared region is `global`. A
 * customer who does not declare zero retention counts as collecting data.
 */
export function toLiveEndpoint(
  own: PrivateEndpoint,
  model: { contextLength: number | null },
  publicOnes: readonly LiveEndpoint[],
): LiveEndpoint {
  const template = publicOnes.find(({ providerSlug }) => providerSlug === own.providerSlug) ?? publicOnes[0];
  const isRetentionFree = own.declaredZdr === true;
  return {
    id: own.id,
    modelId: own.modelId,
    providerSlug: own.providerSlug,
    capability: own.capability,
    upstreamModelId: own.upstreamModelId,
    region: own.declaredRegion ?? 'global',
    pricing: toTokenPricing(own.pricing),
    priceVersion: own.priceVersion,
    contextLength: template?.contextLength ?? model.contextLength,
    maxCompletionTokens: template?.maxCompletionTokens ?? null,
    maxPromptTokens: template?.maxPromptTokens,
    tokensPerImage: template?.tokensPerImage,
    quantization: null,
    supportedParameters: own.declaredParameters ?? template?.supportedParameters ?? [],
    collectsData: !isRetentionFree,
    zdr: isRetentionFree,
    distillable: template?.distillable ?? false,
    deviations: template?.deviations,
    timeouts: template?.timeouts ?? {},
    priority: 0,
  };
}
