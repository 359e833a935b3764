import type { LiveEndpoint } from '../../domain/catalog/catalog.ts';
import type { PrivateEndpoint } from '../../domain/endpoints/private-endpoint.ts';

/**
 * Returns a private endpoint as routing and pricing read it. Undeclared limits and parameters are those of the public
 * endpoint of model and provider, else of the model's first. An undeclared region is `global`. A customer who does
 * not declare zero retention counts as collecting data.
 */
export function toLiveEndpoint(
  own: PrivateEndpoint,
  model: { contextLength: number | null },
  publicOnes: readonly LiveEndpoint[],
): LiveEndpoint {
  const like = publicOnes.find(({ providerSlug }) => providerSlug === own.providerSlug) ?? publicOnes[0];
  const { prompt, completion, cacheRead, cacheWrite } = own.pricing;
  const isRetentionFree = own.declaredZdr === true;
  return {
    id: own.id,
    modelId: own.modelId,
    providerSlug: own.providerSlug,
    capability: own.capability,
    upstreamModelId: own.upstreamModelId,
    region: own.declaredRegion ?? 'global',
    pricing: { prompt, completion, inputCacheRead: cacheRead, inputCacheWrite: cacheWrite },
    contextLength: like?.contextLength ?? model.contextLength,
    maxCompletionTokens: like?.maxCompletionTokens ?? null,
    ...(like?.maxPromptTokens === undefined ? {} : { maxPromptTokens: like.maxPromptTokens }),
    ...(like?.tokensPerImage === undefined ? {} : { tokensPerImage: like.tokensPerImage }),
    quantization: null,
    supportedParameters: own.declaredParameters ?? like?.supportedParameters ?? [],
    collectsData: !isRetentionFree,
    zdr: isRetentionFree,
    distillable: like?.distillable ?? false,
    timeouts: like?.timeouts ?? {},
    priority: 0,
  };
}
