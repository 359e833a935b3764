/** Converts rows of the ledger to the events that are forwarded to observability destinations. */
import type { BroadcastAttempt, BroadcastEvent } from '../../domain/broadcast/event.ts';
import type { BroadcastFacts } from '../../domain/ledger/broadcast-facts.ts';
import type { Region } from '../../domain/catalog/catalog.ts';
import type { ApiType, GenerationStatus, RecordedResponse } from '../../domain/ledger/generation.ts';
import type { TokenUsage } from '../../domain/token-usage.ts';

/** The columns of an event, from `generations` g, `generation_details` d and `api_keys` k. */
export const EVENT_COLUMNS = `
  g.id, g.created_at, g.settled_at, g.organization_id, g.workspace_id, g.model, g.provider, g.api_type, g.status,
  g.data_region, g.finish_reason, g.cost_nanos, g.upstream_cost_nanos, g.is_byok, g.streamed, g.country, g.user_id,
  g.external_user, g.tokens_prompt, g.tokens_completion, g.tokens_reasoning, g.tokens_cache_read,
  g.tokens_cache_write, g.tokens_prompt_audio, g.tokens_completion_image, g.latency_ms, g.generation_ms,
  d.session_id, d.http_referer, d.app_title, d.user_agent, d.provider_responses, k.hash key_hash, k.name key_name`;

/** Returns joins for EVENT_COLUMNS to a relation with `created_at` and `generation_id`. */
export function joinEvents(relation: string): string {
  return `
    left join generations g on g.created_at = ${relation}.created_at and g.id = ${relation}.generation_id
    left join generation_details d on d.created_at = g.created_at and d.id = g.id
    left join api_keys k on k.id = g.key_id`;
}

/** A row of EVENT_COLUMNS with the facts of the log. `id` is null if the generation is past its retention. */
export interface EventRow {
  id: string | null;
  created_at: Date;
  settled_at: Date;
  organization_id: string;
  workspace_id: string;
  model: string;
  provider: string;
  api_type: ApiType;
  status: GenerationStatus;
  data_region: Region;
  finish_reason: string | null;
  cost_nanos: string;
  upstream_cost_nanos: string | null;
  is_byok: boolean;
  streamed: boolean;
  country: string | null;
  user_id: string | null;
  external_user: string | null;
  tokens_prompt: number | null;
  tokens_completion: number | null;
  tokens_reasoning: number | null;
  tokens_cache_read: number | null;
  tokens_cache_write: number | null;
  tokens_prompt_audio: number | null;
  tokens_completion_image: number | null;
  latency_ms: number | null;
  generation_ms: number | null;
  session_id: string | null;
  http_referer: string | null;
  app_title: string | null;
  user_agent: string | null;
  provider_responses: RecordedResponse[] | null;
  key_hash: string | null;
  key_name: string | null;
  facts: BroadcastFacts | null;
}

/** Converts a row. Returns null for a generation that is past its retention. */
export function toEvent(row: EventRow): BroadcastEvent | null {
  if (row.id === null) return null;
  return {
    generationId: row.id,
    createdAt: row.created_at,
    settledAt: row.settled_at,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    model: row.model,
    provider: row.provider,
    apiType: row.api_type,
    status: row.status,
    finishReason: row.finish_reason,
    costNanos: BigInt(row.cost_nanos),
    upstreamCostNanos: row.upstream_cost_nanos === null ? null : BigInt(row.upstream_cost_nanos),
    isByok: row.is_byok,
    streamed: row.streamed,
    dataRegion: row.data_region,
    country: row.country,
    sessionId: row.session_id,
    userId: row.user_id,
    externalUser: row.external_user,
    key: row.key_hash === null ? null : { hash: row.key_hash, name: row.key_name ?? '' },
    usage: toUsage(row),
    latencyMs: row.latency_ms,
    generationMs: row.generation_ms,
    httpReferer: row.http_referer,
    appTitle: row.app_title,
    userAgent: row.user_agent,
    attempts: (row.provider_responses ?? []).map(toAttempt),
    facts: row.facts ?? {},
    content: null,
  };
}

function toUsage(row: EventRow): TokenUsage | null {
  if (row.tokens_prompt === null || row.tokens_completion === null) return null;
  return {
    prompt: row.tokens_prompt,
    completion: row.tokens_completion,
    ...known('reasoning', row.tokens_reasoning),
    ...known('cacheRead', row.tokens_cache_read),
    ...known('cacheWrite', row.tokens_cache_write),
    ...known('promptAudio', row.tokens_prompt_audio),
    ...known('completionImage', row.tokens_completion_image),
  };
}

function known<Name extends keyof TokenUsage>(name: Name, value: number | null): Partial<TokenUsage> {
  return value === null ? {} : { [name]: value };
}

/** Converts a recorded attempt. Live requests and video jobs record different fields. */
function toAttempt(response: RecordedResponse): BroadcastAttempt {
  const { provider } = response;
  if ('state' in response) {
    return { provider, status: null, ...(response.state === 'accepted' ? {} : { error: response.state }) };
  }
  const { status, error, latency } = response;
  return { provider, status, latencyMs: latency, ...(error === undefined ? {} : { error }) };
}
