import type { BroadcastFacts } from './broadcast-facts.ts';
import type { Region } from '../catalog/catalog.ts';
import type { Modality } from '../modality.ts';
import type { Nanos } from '../money.ts';
import type { TokenUsage } from '../token-usage.ts';

/** What kind of operation made a generation; the words of `GET /generation`. */
export type ApiType = 'completions' | 'embeddings' | 'rerank' | 'image' | 'tts' | 'video';

/**
 * How it ended. `failed` is an upstream's failure, `cancelled` a caller who left or asked for it; both may have
 * used something up.
 */
export type GenerationStatus = 'completed' | 'failed' | 'cancelled' | 'expired';

/** One call of an upstream on behalf of a generation, as the ledger keeps it. */
export interface ProviderResponse {
  /** Provider slug. Absent in rows that an earlier version wrote. */
  provider?: string;
  provider_name: string;
  endpoint_id: string;
  /** The upstream's HTTP status; null when there was no answer. */
  status: number | null;
  /** The code of the failure; absent when it answered. */
  error?: string;
  latency: number;
  is_byok: boolean;
}

/**
 * One settled generation of any kind: the ledger's row. `created_at` is the time inside the id; periods, rollups
 * and limits go by `settledAt`.
 */
export interface GenerationRecord {
  id: string;
  settledAt: Date;
  organizationId: string;
  workspaceId: string;
  keyId: number;
  /** Canonical slug. */
  model: string;
  /** Provider slug. */
  provider: string;
  apiType: ApiType;
  status: GenerationStatus;
  finishReason: string | null;
  costNanos: Nanos;
  /** What the upstream says that it charges. */
  upstreamCostNanos: Nanos | null;
  isByok: boolean;
  streamed: boolean;
  dataRegion: Region;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  /** From `HTTP-Referer` and `X-OpenRouter-Title`; the apps' numeric ids are given when the row is written. */
  app: AppFacts | null;
  sessionId: string | null;
  /** The key's creator, `user_<id>`. */
  userId: string | null;
  /** The caller's end user. */
  externalUser: string | null;
  presetId: string | null;
  /** Null for kinds without tokens. */
  usage: TokenUsage | null;
  mediaPrompt: number | null;
  mediaCompletion: number | null;
  toolCalls: number;
  inputModalities: Modality[];
  outputModalities: Modality[];
  /** To the first token or the whole answer. */
  latencyMs: number | null;
  generationMs: number | null;
  /** One in a hundred is classified for rankings; `weight` is how many it stands for. */
  sample: { category: string | null; languageType: string; weight: number } | null;
  details: GenerationDetails;
  /** Gathered only for workspaces with a destination; absent in rows of versions that had none. */
  broadcast?: BroadcastFacts;
}

export interface AppFacts {
  /** The referer's origin. */
  origin: string;
  title: string | null;
}

/** Wide facts, in a table of their own. */
export interface GenerationDetails {
  upstreamId: string | null;
  nativeFinishReason: string | null;
  serviceTier: string | null;
  httpReferer: string | null;
  appTitle: string | null;
  userAgent: string | null;
  requestId: string | null;
  providerResponses: unknown;
}
