/** Finds the record of one generation, for `GET /generation`. */
import { API_TYPES, GENERATION_STATUSES, type RecordedResponse } from '../../domain/ledger/generation.ts';
import type { TokenPricing } from '../../domain/catalog/token-pricing.ts';
import { REGIONS } from '../../domain/catalog/catalog.ts';
import type { PrivatePricing } from '../../domain/endpoints/private-endpoint.ts';
import type { Bill } from '../../domain/ledger/bill.ts';
import type { Nanos } from '../../domain/money.ts';
import type { ReadScope } from '../../domain/principal.ts';
import type { Handle } from '../postgres/connection.ts';
import { firstRow } from '../postgres/results.ts';
import * as column from '../postgres/shape.ts';
import { type RowOf, selectList } from '../postgres/shape.ts';
import { prepared } from '../postgres/statement.ts';

const GENERATION = {
  id: column.text,
  createdAt: column.timestamptz,
  workspaceId: column.uuid,
  /** Canonical slug. */
  model: column.text,
  /** Provider slug. */
  provider: column.text,
  apiType: column.enumOf(API_TYPES),
  status: column.enumOf(GENERATION_STATUSES),
  finishReason: column.text.orNull,
  costNanos: column.numeric,
  upstreamCostNanos: column.numeric.orNull,
  isByok: column.bool,
  streamed: column.bool,
  dataRegion: column.enumOf(REGIONS),
  externalUser: column.text.orNull,
  presetId: column.text.orNull,
  appId: column.int8.orNull,
  tokensPrompt: column.int4.orNull,
  tokensCompletion: column.int4.orNull,
  tokensReasoning: column.int4.orNull,
  tokensCacheRead: column.int4.orNull,
  tokensCompletionImage: column.int4.orNull,
  mediaPrompt: column.int4.orNull,
  mediaCompletion: column.int4.orNull,
  latencyMs: column.int4.orNull,
  generationMs: column.int4.orNull,
};
const DETAILS = {
  sessionId: column.text.orNull,
  upstreamId: column.text.orNull,
  nativeFinishReason: column.text.orNull,
  serviceTier: column.text.orNull,
  httpReferer: column.text.orNull,
  userAgent: column.text.orNull,
  requestId: column.text.orNull,
  providerResponses: column.json<RecordedResponse[]>().orNull,
  /** Null if nothing was used, and for rows of versions that did not keep it. */
  bill: column.json<Bill>().orNull,
};
/** The version of prices that the bill names; null if there is none. */
const PRICES = {
  isPrivate: column.bool.orNull,
  pricing: column.jsonb<TokenPricing | PrivatePricing | Record<string, string>>().orNull,
};
/** A generation, its details, the prices that billed it, and the origin of its app. */
const STORED = { ...GENERATION, ...DETAILS, ...PRICES, origin: column.text.orNull };
type Row = RowOf<typeof STORED>;

/** A recorded generation with its app and its prices. */
export type StoredGeneration = Omit<Row, 'costNanos' | 'upstreamCostNanos' | 'appId'> & {
  costNanos: Nanos;
  upstreamCostNanos: Nanos | null;
  appId: number | null;
};

export function createGenerationReadModel(handle: Handle) {
  return {
    /**
     * Finds a generation. `createdAt` is the time inside the id, with which Postgres reads one entry of one partition's
     * key.
     */
    async find(scope: ReadScope, id: string, createdAt: Date): Promise<StoredGeneration | null> {
      const { organizationId, workspaceId = null } = scope;
      const row = await firstRow(handle, STORED, FIND_GENERATION, {
        createdAt,
        id,
        organizationId,
        workspaceId,
      });
      return row && toGeneration(row);
    },
  };
}

export type GenerationReadModel = ReturnType<typeof createGenerationReadModel>;

/** Finds a generation by its `created_at`, id, organization and workspace; null stands for any workspace. */
export const FIND_GENERATION = prepared(
  'sluice-find-generation',
  `
  select ${selectList(GENERATION, 'g')}, ${selectList(DETAILS, 'd')}, ${selectList(PRICES, 'v')}, a.origin
  from generations g
    left join generation_details d on d.created_at = g.created_at and d.id = g.id
    left join apps a on a.id = g.app_id
    left join price_versions v on v.id = (d.bill ->> 'prices')::bigint
  where g.created_at = :createdAt and g.id = :id and g.organization_id = :organizationId
    and g.workspace_id = coalesce(:workspaceId, g.workspace_id)`,
);

function toGeneration(row: Row): StoredGeneration {
  const { costNanos, upstreamCostNanos, appId, ...rest } = row;
  return {
    ...rest,
    costNanos: BigInt(costNanos),
    upstreamCostNanos: upstreamCostNanos === null ? null : BigInt(upstreamCostNanos),
    appId: appId === null ? null : Number(appId),
  };
}
