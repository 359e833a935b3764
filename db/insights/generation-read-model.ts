/** Finds the record of one generation, for `GET /generation`. */
import type { ApiType, GenerationStatus, RecordedResponse } from '../../domain/ledger/generation.ts';
import type { Region } from '../../domain/catalog/catalog.ts';
import type { Nanos } from '../../domain/money.ts';
import type { ReadScope } from '../../domain/principal.ts';
import type { Handle } from '../postgres/connection.ts';
import { uncheckedRows } from '../postgres/statement.ts';

/** A recorded generation with its app. */
export interface StoredGeneration {
  id: string;
  createdAt: Date;
  workspaceId: string;
  /** Canonical slug. */
  model: string;
  /** Provider slug. */
  provider: string;
  apiType: ApiType;
  status: GenerationStatus;
  finishReason: string | null;
  costNanos: Nanos;
  upstreamCostNanos: Nanos | null;
  isByok: boolean;
  streamed: boolean;
  dataRegion: Region;
  externalUser: string | null;
  presetId: string | null;
  appId: number | null;
  /** The origin of the app. */
  origin: string | null;
  tokensPrompt: number | null;
  tokensCompletion: number | null;
  tokensReasoning: number | null;
  tokensCacheRead: number | null;
  tokensCompletionImage: number | null;
  mediaPrompt: number | null;
  mediaCompletion: number | null;
  latencyMs: number | null;
  generationMs: number | null;
  sessionId: string | null;
  upstreamId: string | null;
  nativeFinishReason: string | null;
  serviceTier: string | null;
  httpReferer: string | null;
  userAgent: string | null;
  requestId: string | null;
  providerResponses: RecordedResponse[] | null;
}

type Row = Omit<StoredGeneration, 'costNanos' | 'upstreamCostNanos' | 'appId'> & {
  costNanos: string;
  upstreamCostNanos: string | null;
  appId: string | null;
};

export function createGenerationReadModel(handle: Handle) {
  return {
    /**
     * Finds a generation. `createdAt` is the time inside the id, with which Postgres reads one entry of one partition's
     * key.
     */
    async find(scope: ReadScope, id: string, createdAt: Date): Promise<StoredGeneration | null> {
      const [row] = await uncheckedRows<Row>(handle, FIND_GENERATION, [
        createdAt,
        id,
        scope.organizationId,
        scope.workspaceId ?? null,
      ]);
      return row === undefined ? null : toGeneration(row);
    },
  };
}

export type GenerationReadModel = ReturnType<typeof createGenerationReadModel>;

/** Finds a generation by its `created_at`, id, organization and workspace; null stands for any workspace. */
export const FIND_GENERATION = {
  name: 'sluice-find-generation',
  text: `
  select g.id, g.created_at "createdAt", g.workspace_id "workspaceId", g.model, g.provider, g.api_type "apiType",
    g.status, g.finish_reason "finishReason", g.cost_nanos "costNanos", g.upstream_cost_nanos "upstreamCostNanos",
    g.is_byok "isByok", g.streamed, g.data_region "dataRegion", g.external_user "externalUser",
    g.preset_id "presetId", g.app_id "appId", a.origin, g.tokens_prompt "tokensPrompt",
    g.tokens_completion "tokensCompletion", g.tokens_reasoning "tokensReasoning",
    g.tokens_cache_read "tokensCacheRead", g.tokens_completion_image "tokensCompletionImage",
    g.media_prompt "mediaPrompt", g.media_completion "mediaCompletion", g.latency_ms "latencyMs",
    g.generation_ms "generationMs", d.session_id "sessionId", d.upstream_id "upstreamId",
    d.native_finish_reason "nativeFinishReason", d.service_tier "serviceTier", d.http_referer "httpReferer",
    d.user_agent "userAgent", d.request_id "requestId", d.provider_responses "providerResponses"
  from generations g
    left join generation_details d on d.created_at = g.created_at and d.id = g.id
    left join apps a on a.id = g.app_id
  where g.created_at = $1 and g.id = $2 and g.organization_id = $3
    and g.workspace_id = coalesce($4, g.workspace_id)`,
};

function toGeneration(row: Row): StoredGeneration {
  const { costNanos, upstreamCostNanos, appId, ...rest } = row;
  return {
    ...rest,
    costNanos: BigInt(costNanos),
    upstreamCostNanos: upstreamCostNanos === null ? null : BigInt(upstreamCostNanos),
    appId: appId === null ? null : Number(appId),
  };
}
