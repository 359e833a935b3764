/** Defines the ledger's record of a generation. */
import type { Bill } from './bill.ts';
import type { BroadcastFacts } from './broadcast-facts.ts';
import type { Region } from '../catalog/catalog.ts';
import type { Modality } from '../modality.ts';
import type { Nanos } from '../money.ts';
import type { TokenUsage } from '../token-usage.ts';

/** The kind of operation that made a generation, under its name in `GET /generation`. */
export const API_TYPES = ['completions', 'embeddings', 'rerank', 'image', 'tts', 'video'] as const;
export type ApiType = (typeof API_TYPES)[number];

/**
 * The outcome of a generation. `failed`: the upstream failed. `cancelled`: the caller disconnected, or the job was
 * cancelled. Both may have a cost.
 */
export const GENERATION_STATUSES = ['completed', 'failed', 'cancelled', 'expired'] as const;
export type GenerationStatus = (typeof GENERATION_STATUSES)[number];

/** One upstream call for a generation, as the ledger keeps it. */
export interface ProviderResponse {
  /** Provider slug. */
  provider: string;
  provider_name: string;
  endpoint_id: string;
  /** The upstream's HTTP status; null if it did not answer. */
  status: number | null;
  /** The code of the failure; absent if the upstream answered. */
  error?: string | undefined;
  latency: number;
  is_byok: boolean;
}

/** One submission of a video job, as the ledger keeps it. */
export interface SubmissionResponse {
  n: number;
  /** Provider slug. */
  provider: string;
  state: string;
}

/** One call of a provider for a generation, or one submission of a job, as the ledger keeps them in order. */
export type RecordedResponse = ProviderResponse | SubmissionResponse;

/**
 * One settled generation: a row of the ledger. `created_at` is the time inside the id; periods, rollups and limits use
 * `settledAt`.
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
  /** The charge that the upstream reports. */
  upstreamCostNanos: Nanos | null;
  isByok: boolean;
  streamed: boolean;
  dataRegion: Region;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  /**
   * The app, from `HTTP-Referer` and `X-OpenRouter-Title`. The app's numeric id is assigned when the row is written.
   */
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
  /** Milliseconds to the first token or the whole answer. */
  latencyMs: number | null;
  generationMs: number | null;
  /** One in a hundred generations is classified for rankings; `weight` is the number that it represents. */
  sample: { category: string | null; languageType: string; weight: number } | null;
  details: GenerationDetails;
  /** Set only for workspaces with a destination. */
  broadcast?: BroadcastFacts;
}

export interface AppFacts {
  /** The origin of the referer. */
  origin: string;
  title: string | null;
}

/** Long facts, which have a table of their own. */
export interface GenerationDetails {
  upstreamId: string | null;
  nativeFinishReason: string | null;
  serviceTier: string | null;
  /** Absent if nothing was used, or if the cost does not depend on prices of the endpoint alone. */
  bill?: Bill | undefined;
  httpReferer: string | null;
  appTitle: string | null;
  userAgent: string | null;
  requestId: string | null;
  providerResponses: unknown;
}
