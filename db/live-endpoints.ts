import {
  LIVE_CAPABILITIES,
  type LiveCapability,
  type LiveEndpoint,
  type Region,
  type TokenPricing,
} from '../domain/catalog.ts';
import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';

interface LiveEndpointColumns {
  id: string;
  model_id: string;
  provider_slug: string;
  capability: LiveCapability;
  upstream_model_id: string;
  region: Region;
  pricing: TokenPricing;
  capabilities: Pick<
    LiveEndpoint,
    'contextLength' | 'maxCompletionTokens' | 'quantization' | 'supportedParameters' | 'image' | 'speech'
  >;
  collects_data: boolean;
  zdr: boolean;
  distillable: boolean;
  timeouts: LiveEndpoint['timeouts'];
  priority: number;
}

/** Those that are switched on, the preferred ones of a model first. */
export async function loadLiveEndpoints(handle: Handle): Promise<LiveEndpoint[]> {
  const rows = await rowsOf<LiveEndpointColumns>(
    handle,
    `select * from endpoints where enabled and capability = any(?)
     order by model_id, priority, id`,
    [[...LIVE_CAPABILITIES]],
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
    ...(row.capabilities.image && { image: row.capabilities.image }),
    ...(row.capabilities.speech && { speech: row.capabilities.speech }),
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
export async function upsertLiveEndpoint(handle: Handle, endpoint: LiveEndpoint): Promise<void> {
  const { contextLength, maxCompletionTokens, quantization, supportedParameters, image, speech } = endpoint;
  const capabilities = {
    contextLength,
    maxCompletionTokens,
    quantization,
    supportedParameters,
    image,
    speech,
  };
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
