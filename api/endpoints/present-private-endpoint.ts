/** Presents private endpoints in lists and answers. */
import type {
  EndpointSummary,
  ManagedEndpointRecord,
  PrivateEndpointRecord,
} from '../../contract/endpoints/private-endpoint-record.ts';
import type { NamedEndpoint } from '../../db/endpoints/endpoint-store.ts';

/** Presents an endpoint in the list. */
export function presentEndpointSummary(endpoint: NamedEndpoint): EndpointSummary {
  return {
    id: endpoint.id,
    created_at: endpoint.createdAt.toISOString(),
    status: endpoint.status,
    ...modelNames(endpoint),
    provider_name: endpoint.providerName,
  };
}

/** Presents an endpoint after it was created, activated, enabled or disabled. */
export function presentManagedEndpoint(endpoint: NamedEndpoint): ManagedEndpointRecord {
  return {
    ...presentEndpointSummary(endpoint),
    declared_region: endpoint.declaredRegion,
    declared_zdr: endpoint.declaredZdr,
  };
}

/** Presents an endpoint with its upstream and its prices. */
export function presentPrivateEndpoint(endpoint: NamedEndpoint): PrivateEndpointRecord {
  const { pricing } = endpoint;
  return {
    id: endpoint.id,
    status: endpoint.status,
    base_url: endpoint.baseUrl,
    declared_region: endpoint.declaredRegion,
    declared_zdr: endpoint.declaredZdr,
    declared_parameters: endpoint.declaredParameters,
    ...modelNames(endpoint),
    pricing: {
      prompt: pricing.prompt,
      completion: pricing.completion,
      cache_read: pricing.cacheRead,
      cache_write: pricing.cacheWrite,
    },
    provider_name: endpoint.providerName,
    provider_slug: endpoint.providerSlug,
    upstream_model_id: endpoint.upstreamModelId,
  };
}

function modelNames({ modelName, modelPermaslug, modelId }: NamedEndpoint) {
  return { model_name: modelName, model_permaslug: modelPermaslug, model_slug: modelId };
}
