import type { Region, LiveEndpoint, VideoCapabilities, VideoEndpoint } from '../domain/catalog.ts';
import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';
import { loadLiveEndpoints, upsertLiveEndpoint } from './live-endpoints.ts';

export interface ProviderRow {
  slug: string;
  name: string;
  /** Which adapter speaks to it. */
  adapter: string;
  baseUrl: string | null;
}

export interface ModelRow {
  id: string;
  canonicalSlug: string;
  name: string;
  description: string | null;
  huggingFaceId: string | null;
  inputModalities: string[];
  outputModalities: string[];
  contextLength: number | null;
  createdAt: Date;
}

export interface CatalogRows {
  providers: ProviderRow[];
  models: ModelRow[];
  /** Those that make video. */
  endpoints: VideoEndpoint[];
  liveEndpoints: LiveEndpoint[];
}

interface EndpointColumns {
  id: string;
  model_id: string;
  provider_slug: string;
  upstream_model_id: string;
  region: Region;
  pricing: Record<string, string>;
  capabilities: VideoCapabilities;
  max_run_seconds: number;
  priority: number;
}

/** The catalog as rows. Read as a whole; written by imports that can be repeated. */
export function createCatalogStore(handle: Handle) {
  return {
    async load(): Promise<CatalogRows> {
      const [providers, models, endpoints, liveEndpoints] = await Promise.all([
        rowsOf<ProviderRow>(
          handle,
          'select slug, name, adapter, base_url "baseUrl" from providers order by slug',
          [],
        ),
        rowsOf<ModelRow>(
          handle,
          `select id, canonical_slug "canonicalSlug", name, description,
                  facts ->> 'huggingFaceId' "huggingFaceId", facts -> 'inputModalities' "inputModalities",
                  facts -> 'outputModalities' "outputModalities",
                  (facts ->> 'contextLength')::integer "contextLength", created_at "createdAt"
           from models order by id`,
          [],
        ),
        rowsOf<EndpointColumns>(
          handle,
          `select * from endpoints where enabled and capability = 'video' order by model_id, priority, id`,
          [],
        ),
        loadLiveEndpoints(handle),
      ]);
      return { providers, models, endpoints: endpoints.map(toEndpoint), liveEndpoints };
    },

    async upsertProvider(provider: ProviderRow): Promise<void> {
      await handle.raw(
        `insert into providers (slug, name, adapter, base_url) values (?, ?, ?, ?)
         on conflict (slug) do update set name = excluded.name, adapter = excluded.adapter,
           base_url = excluded.base_url, updated_at = now()
         where (providers.name, providers.adapter, providers.base_url)
           is distinct from (excluded.name, excluded.adapter, excluded.base_url)`,
        [provider.slug, provider.name, provider.adapter, provider.baseUrl],
      );
    },

    async upsertModel(model: ModelRow): Promise<void> {
      const { huggingFaceId, inputModalities, outputModalities, contextLength } = model;
      const facts = JSON.stringify({ huggingFaceId, inputModalities, outputModalities, contextLength });
      await handle.raw(
        `insert into models (id, canonical_slug, name, description, facts, created_at)
         values (?, ?, ?, ?, ?::jsonb, ?)
         on conflict (id) do update set canonical_slug = excluded.canonical_slug, name = excluded.name,
           description = excluded.description, facts = excluded.facts, updated_at = now()
         where (models.canonical_slug, models.name, models.description, models.facts)
           is distinct from (excluded.canonical_slug, excluded.name, excluded.description, excluded.facts)`,
        [model.id, model.canonicalSlug, model.name, model.description, facts, model.createdAt],
      );
    },

    async upsertVideoEndpoint(endpoint: VideoEndpoint): Promise<void> {
      await handle.raw(
        `insert into endpoints (id, model_id, provider_slug, capability, upstream_model_id, region, pricing,
           capabilities, max_run_seconds, priority)
         values (?, ?, ?, 'video', ?, ?, ?::jsonb, ?::jsonb, ?, ?)
         on conflict (id) do update set upstream_model_id = excluded.upstream_model_id,
           region = excluded.region, pricing = excluded.pricing, capabilities = excluded.capabilities,
           max_run_seconds = excluded.max_run_seconds, priority = excluded.priority, updated_at = now()
         where (endpoints.upstream_model_id, endpoints.region, endpoints.pricing, endpoints.capabilities,
                endpoints.max_run_seconds, endpoints.priority)
           is distinct from (excluded.upstream_model_id, excluded.region, excluded.pricing,
                excluded.capabilities, excluded.max_run_seconds, excluded.priority)`,
        [
          endpoint.id,
          endpoint.modelId,
          endpoint.providerSlug,
          endpoint.upstreamModelId,
          endpoint.region,
          JSON.stringify(endpoint.pricingSkus),
          JSON.stringify(endpoint.capabilities),
          endpoint.maxRunSeconds,
          endpoint.priority,
        ],
      );
    },

    upsertLiveEndpoint: (endpoint: LiveEndpoint): Promise<void> => upsertLiveEndpoint(handle, endpoint),
  };
}

export type CatalogStore = ReturnType<typeof createCatalogStore>;

function toEndpoint(row: EndpointColumns): VideoEndpoint {
  return {
    id: row.id,
    modelId: row.model_id,
    providerSlug: row.provider_slug,
    upstreamModelId: row.upstream_model_id,
    region: row.region,
    pricingSkus: row.pricing,
    capabilities: row.capabilities,
    maxRunSeconds: row.max_run_seconds,
    priority: row.priority,
  };
}
