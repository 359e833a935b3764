/** Converts rows of the ledger to the events that are forwarded to observability destinations. */
import type { BroadcastAttempt, BroadcastEvent } from '../../domain/broadcast/event.ts';
import type { BroadcastFacts } from '../../domain/ledger/broadcast-facts.ts';
import { REGIONS } from '../../domain/catalog/catalog.ts';
import { API_TYPES, GENERATION_STATUSES, type RecordedResponse } from '../../domain/ledger/generation.ts';
import type { TokenUsage } from '../../domain/token-usage.ts';
import * as column from '../postgres/shape.ts';
import { orNull, type RowOf, selectList } from '../postgres/shape.ts';

const EVENT = {
  generationId: column.text,
  createdAt: column.timestamptz,
  settledAt: column.timestamptz,
  organizationId: column.uuid,
  workspaceId: column.uuid,
  model: column.text,
  provider: column.text,
  apiType: column.enumOf(API_TYPES),
  status: column.enumOf(GENERATION_STATUSES),
  dataRegion: column.enumOf(REGIONS),
  finishReason: column.text.orNull,
  costNanos: column.numeric,
  upstreamCostNanos: column.numeric.orNull,
  isByok: column.bool,
  streamed: column.bool,
  country: column.text.orNull,
  userId: column.text.orNull,
  externalUser: column.text.orNull,
  tokensPrompt: column.int4.orNull,
  tokensCompletion: column.int4.orNull,
  tokensReasoning: column.int4.orNull,
  tokensCacheRead: column.int4.orNull,
  tokensCacheWrite: column.int4.orNull,
  tokensPromptAudio: column.int4.orNull,
  tokensCompletionImage: column.int4.orNull,
  latencyMs: column.int4.orNull,
  generationMs: column.int4.orNull,
  sessionId: column.text.orNull,
  httpReferer: column.text.orNull,
  appTitle: column.text.orNull,
  userAgent: column.text.orNull,
  providerResponses: column.json<RecordedResponse[]>().orNull,
  keyHash: column.text.orNull,
  keyName: column.text.orNull,
};
type Generation = RowOf<typeof EVENT>;

/** A generation with the facts of the log. All other columns are null if the generation is past its retention. */
export const EVENT_ROW = { ...orNull(EVENT), facts: column.json<BroadcastFacts>().orNull };
type EventRow = RowOf<typeof EVENT_ROW>;

/** The columns of an event without `facts`, from `generations` g, `generation_details` d and `api_keys` k. */
export const EVENT_COLUMNS = selectList(EVENT, 'g', {
  generationId: 'g.id',
  sessionId: 'd.session_id',
  httpReferer: 'd.http_referer',
  appTitle: 'd.app_title',
  userAgent: 'd.user_agent',
  providerResponses: 'd.provider_responses',
  keyHash: 'k.hash',
  keyName: 'k.name',
});

/** Returns joins for EVENT_COLUMNS to a relation with `created_at` and `generation_id`. */
export function joinEvents(relation: string): string {
  return `
    left join generations g on g.created_at = ${relation}.created_at and g.id = ${relation}.generation_id
    left join generation_details d on d.created_at = g.created_at and d.id = g.id
    left join api_keys k on k.id = g.key_id`;
}

/** Converts a row. Returns null for a generation that is past its retention. */
export function toEvent({ facts, ...row }: EventRow): BroadcastEvent | null {
  if (row.generationId === null) return null;
  const present = row as Generation;
  return {
    generationId: present.generationId,
    createdAt: present.createdAt,
    settledAt: present.settledAt,
    organizationId: present.organizationId,
    workspaceId: present.workspaceId,
    model: present.model,
    provider: present.provider,
    apiType: present.apiType,
    status: present.status,
    finishReason: present.finishReason,
    costNanos: BigInt(present.costNanos),
    upstreamCostNanos: present.upstreamCostNanos === null ? null : BigInt(present.upstreamCostNanos),
    isByok: present.isByok,
    streamed: present.streamed,
    dataRegion: present.dataRegion,
    country: present.country,
    sessionId: present.sessionId,
    userId: present.userId,
    externalUser: present.externalUser,
    key: present.keyHash === null ? null : { hash: present.keyHash, name: present.keyName ?? '' },
    usage: toUsage(present),
    latencyMs: present.latencyMs,
    generationMs: present.generationMs,
    httpReferer: present.httpReferer,
    appTitle: present.appTitle,
    userAgent: present.userAgent,
    attempts: (present.providerResponses ?? []).map(toAttempt),
    facts: facts ?? {},
    content: null,
  };
}

function toUsage(row: Generation): TokenUsage | null {
  if (row.tokensPrompt === null || row.tokensCompletion === null) return null;
  return {
    prompt: row.tokensPrompt,
    completion: row.tokensCompletion,
    ...known('reasoning', row.tokensReasoning),
    ...known('cacheRead', row.tokensCacheRead),
    ...known('cacheWrite', row.tokensCacheWrite),
    ...known('promptAudio', row.tokensPromptAudio),
    ...known('completionImage', row.tokensCompletionImage),
  };
}

function known<Name extends keyof TokenUsage>(name: Name, value: number | null): Partial<TokenUsage> {
  return value === null ? {} : { [name]: value };
}

/** Converts a recorded attempt. Live requests and video jobs record different fields. */
function toAttempt(response: RecordedResponse): BroadcastAttempt {
  const { provider } = response;
  if ('state' in response) {
    return { provider, status: null, error: response.state === 'accepted' ? undefined : response.state };
  }
  const { status, error, latency } = response;
  return { provider, status, error, latencyMs: latency };
}
