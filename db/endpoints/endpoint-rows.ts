import type { Region } from '../../domain/catalog/catalog.ts';
import type {
  PrivateCapability,
  PrivateEndpoint,
  PrivateEndpointStatus,
  PrivatePricing,
} from '../../domain/endpoints/private-endpoint.ts';

export interface EndpointRow {
  id: string;
  organization_id: string;
  model_id: string;
  provider_slug: string;
  capability: PrivateCapability;
  upstream_model_id: string;
  base_url: string | null;
  declared_region: Region | null;
  declared_zdr: boolean | null;
  declared_parameters: string[] | null;
  pricing: PrivatePricing;
  status: PrivateEndpointStatus;
  revision: number;
  created_at: Date | string;
}

/** Converts a row of `private_endpoints`. Its times may be text from JSON. */
export function toPrivateEndpoint(row: EndpointRow): PrivateEndpoint {
  return {
    id: row.id,
    organizationId: row.organization_id,
    modelId: row.model_id,
    providerSlug: row.provider_slug,
    capability: row.capability,
    upstreamModelId: row.upstream_model_id,
    baseUrl: row.base_url,
    declaredRegion: row.declared_region,
    declaredZdr: row.declared_zdr,
    declaredParameters: row.declared_parameters,
    pricing: row.pricing,
    status: row.status,
    revision: row.revision,
    createdAt: new Date(row.created_at),
  };
}
