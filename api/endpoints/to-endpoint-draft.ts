/** Converts request bodies to new or changed private endpoints and their prices. */
import type {
  NewPricingBody,
  NewPrivateEndpointBody,
  PrivateEndpointChangesBody,
} from '../../contract/endpoints/private-endpoint-body.ts';
import type { StatedPricing } from '../../domain/endpoints/complete-pricing.ts';
import type { EndpointDraft } from '../../services/endpoints/check-endpoint-draft.ts';
import type { EndpointChanges } from '../../services/endpoints/update-endpoint.ts';
import { withoutUndefined } from '../http/request/without-undefined.ts';

/** Returns the draft, with null for absent declarations. */
export function toEndpointDraft(body: NewPrivateEndpointBody): EndpointDraft {
  const undeclared = { baseUrl: null, declaredRegion: null, declaredZdr: null, declaredParameters: null };
  return {
    ...undeclared,
    ...toEndpointChanges(body),
    model: body.model_permaslug,
    providerSlug: body.provider_slug,
    ...withoutUndefined({
      pricing: body.pricing && toStatedPricing(body.pricing),
      activateIn: body.activate?.workspace_id.toLowerCase(),
    }),
  };
}

/** Converts the body to changes, without absent fields. A null stays, because it clears a declaration. */
export function toEndpointChanges(body: PrivateEndpointChangesBody): EndpointChanges {
  const parameters = body.declared_parameters;
  return {
    upstreamModelId: body.upstream_model_id,
    ...withoutUndefined({
      baseUrl: body.base_url,
      declaredRegion: body.declared_region,
      declaredZdr: body.declared_zdr,
      declaredParameters: parameters && [...new Set(parameters)],
    }),
  };
}

/** Returns the prices in the request, as written. */
export function toStatedPricing(pricing: NewPricingBody['pricing']): StatedPricing {
  const { prompt, completion, cache_read: cacheRead, cache_write: cacheWrite } = pricing;
  return { prompt, completion, ...withoutUndefined({ cacheRead, cacheWrite }) };
}
