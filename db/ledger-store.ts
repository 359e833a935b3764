import type { Nanos } from '../domain/money.ts';
import type { Handle } from './connection.ts';
import { rowsOf } from './connection.ts';

/** One settled generation of any kind. Times inside ids decide the partition; periods go by `settledAt`. */
export interface GenerationRecord {
  id: string;
  createdAt: Date;
  settledAt: Date;
  organizationId: string;
  workspaceId: string;
  keyId: number;
  model: string;
  provider: string;
  apiType: 'video';
  status: string;
  costNanos: Nanos;
  upstreamCostNanos: Nanos | null;
  isByok: boolean;
  cancelled: boolean;
  mediaCompletion: number | null;
  generationMs: number | null;
  details: GenerationDetails;
}

export interface GenerationDetails {
  upstreamId: string | null;
  sessionId: string | null;
  externalUser: string | null;
  httpReferer: string | null;
  appTitle: string | null;
  userAgent: string | null;
  requestId: string | null;
  providerResponses: unknown;
}

/** SQLSTATE 23514 is also every other check's; the words are Postgres' own. */
export function isMissingPartition(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  return code === '23514' && routine === 'ExecFindPartition';
}

/** The only writer of generations and of the counters that follow from them. */
export function createLedgerStore(handle: Handle) {
  return {
    /**
     * Makes the daily partition that a record needs. Never inside the settling transaction: creating a
     * partition locks the parent table.
     */
    async ensurePartition(createdAt: Date): Promise<void> {
      await handle.raw('select ensure_ledger_partition(?)', [createdAt]);
    },

    /**
     * Adds one generation and its counters in one statement; the counters come from what was inserted, so a
     * repetition adds nothing. False when the generation was there already.
     */
    async record(generation: GenerationRecord, shard: number): Promise<boolean> {
      const g = generation;
      const rows = await rowsOf<{ n: string }>(handle, RECORD, [
        g.id,
        g.createdAt,
        g.settledAt,
        g.organizationId,
        g.workspaceId,
        g.keyId,
        g.model,
        g.provider,
        g.apiType,
        g.status,
        g.costNanos.toString(),
        g.upstreamCostNanos?.toString() ?? null,
        g.isByok,
        g.cancelled,
        g.mediaCompletion,
        g.generationMs,
        g.details.upstreamId,
        g.details.sessionId,
        g.details.externalUser,
        g.details.httpReferer,
        g.details.appTitle,
        g.details.userAgent,
        g.details.requestId,
        JSON.stringify(g.details.providerResponses),
        shard,
        shard,
        shard,
      ]);
      return Number(rows[0]?.n ?? 0) === 1;
    },
  };
}

/** BYOK usage is counted apart: credits pay only the fee, which `usage_nanos` would hold. */
const RECORD = `
  with inserted as (
    insert into generations (id, created_at, settled_at, organization_id, workspace_id, key_id, model, provider,
      api_type, status, cost_nanos, upstream_cost_nanos, is_byok, cancelled, media_completion, generation_ms)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    on conflict do nothing
    returning id, created_at, settled_at, organization_id, key_id,
      case when is_byok then 0 else cost_nanos end usage, case when is_byok then cost_nanos else 0 end byok
  ), details as (
    insert into generation_details (id, created_at, upstream_id, session_id, external_user, http_referer,
      app_title, user_agent, request_id, provider_responses)
    select id, created_at, ?, ?, ?, ?, ?, ?, ?, ?::jsonb from inserted
  ), organization_total as (
    insert into organization_usage_totals as t
    select organization_id, ?::smallint, usage, byok, 1 from inserted
    on conflict (organization_id, shard) do update
      set usage_nanos = t.usage_nanos + excluded.usage_nanos,
          byok_usage_nanos = t.byok_usage_nanos + excluded.byok_usage_nanos,
          request_count = t.request_count + 1
  ), key_total as (
    insert into key_usage_totals as t
    select key_id, ?::smallint, usage, byok, 1 from inserted
    on conflict (key_id, shard) do update
      set usage_nanos = t.usage_nanos + excluded.usage_nanos,
          byok_usage_nanos = t.byok_usage_nanos + excluded.byok_usage_nanos,
          request_count = t.request_count + 1
  ), key_day as (
    insert into key_usage as t
    select key_id, (settled_at at time zone 'UTC')::date, ?::smallint, usage, byok, 1 from inserted
    on conflict (key_id, settled_on, shard) do update
      set usage_nanos = t.usage_nanos + excluded.usage_nanos,
          byok_usage_nanos = t.byok_usage_nanos + excluded.byok_usage_nanos,
          request_count = t.request_count + 1
  )
  select count(*) n from inserted`;
