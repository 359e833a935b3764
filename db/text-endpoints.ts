import type { Region, TextCapability, TextEndpoint, TokenPricing } from '../domain/catalog.ts';
import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';

interface TextEndpointColumns {
  id: string;
  model_id: string;
  provider_slug: string;
  capability: TextCapability;
  upstream_model_id: string;
  region: Region;
  pricing: TokenPricing;
  capabilities: Pick<
    TextEndpoint,
    'contextLength' | 'maxCompletionTokens' | 'quantization' | 'supportedParameters'
  >;
  collects_data: boolean;
  zdr: boolean;
  distillable: boolean;
  timeouts: TextEndpoint['timeouts'];
  priority: number;
}

/** Those for chat and embeddings that are switched on, the preferred ones of a model first. */
export async function loadTextEndpoints(handle: Handle): Promise<TextEndpoint[]> {
  const rows = await rowsOf<TextEndpointColumns>(
    handle,
    `select * from endpoints where enabled and capability in ('chat', 'embeddings')
     order by model_id, priority, id`,
    [],
  );
  return rows.map((row) => ({
    id: row.id,
    modelId: row.model_id,
    providerSlug: row.provider_slug,
    capability: row.capability,
    upstreamModelId: row.upstream_model_id,
    region: row.region,
    pricing: row.pricing,
    contextLength: row.capabilities.contextLength,
    maxCompletionTokens: row.capabilities.maxCompletionTokens,
    quantization: row.capabilities.quantization,
    supportedParameters: row.capabilities.supportedParameters,
    collectsData: row.collects_data,
    zdr: row.zdr,
    distillable: row.distillable,
    timeouts: row.timeouts,
    priority: row.priority,
  }));
}

const WRITTEN = [
  'capability',
  'upstream_model_id',
  'region',
  'pricing',
  'capabilities',
  'collects_data',
  'zdr',
  'distillable',
  'timeouts',
  'priority',
];
const names = (prefix: string): string => WRITTEN.map((name) => `${prefix}.${name}`).join(', ');

/** Leaves a row that is the same alone, so that no process reads its catalog again for nothing. */
export async function upsertTextEndpoint(handle: Handle, endpoint: TextEndpoint): Promise<void> {
  const { contextLength, maxCompletionTokens, quantization, supportedParameters } = endpoint;
  const capabilities = { contextLength, maxCompletionTokens, quantization, supportedParameters };
  await handle.raw(
    `insert into endpoints (id, model_id, provider_slug, ${WRITTEN.join(', ')})
     values (?, ?, ?, ?, ?, ?, ?::jsonb, ?::jsonb, ?, ?, ?, ?::jsonb, ?)
     on conflict (id) do update
       set ${WRITTEN.map((name) => `${name} = excluded.${name}`).join(', ')}, updated_at = now()
     where (${names('endpoints')}) is distinct from (${names('excluded')})`,
    [
      endpoint.id,
      endpoint.modelId,
      endpoint.providerSlug,
      endpoint.capability,
      endpoint.upstreamModelId,
      endpoint.region,
      JSON.stringify(endpoint.pricing),
      JSON.stringify(capabilities),
      endpoint.collectsData,
      endpoint.zdr,
      endpoint.distillable,
      JSON.stringify(endpoint.timeouts),
      endpoint.priority,
    ],
  );
}
