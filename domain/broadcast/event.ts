import type { Region } from '../catalog.ts';
import type { ApiType, GenerationStatus, TokenUsage } from '../generation.ts';
import type { Nanos } from '../money.ts';

/** JSON as it comes from a caller. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A generation's cost by kind of token. The parts that are present add up to what the parts of the price say. */
export interface CostParts {
  prompt?: Nanos;
  completion?: Nanos;
  cacheRead?: Nanos;
  cacheWrite?: Nanos;
  reasoning?: Nanos;
  request?: Nanos;
  media?: Nanos;
}

/** The request's parameters that the conventions have names for. Absent means: the caller did not say. */
export interface RequestParameters {
  temperature?: number;
  topP?: number;
  topK?: number;
  maxTokens?: number;
  seed?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  stopSequences?: string[];
  choiceCount?: number;
  reasoningEffort?: string;
}

/**
 * Facts about a generation that the ledger does not keep. They travel with the ledger's row, at most 16 KiB as JSON, and
 * only where the workspace has a destination. Amounts are decimal strings of nanodollars.
 */
export interface BroadcastFacts {
  /** The request's `trace` object. */
  trace?: { [name: string]: Json };
  parameters?: RequestParameters;
  /** The model that the caller asked for, and the one that the upstream says it ran. */
  requestModel?: string;
  responseModel?: string;
  /** The code of the error that the caller received, and its public message. */
  error?: { code: string; message: string };
  /** Cost by kind of token: names of CostParts. */
  costs?: Partial<Record<keyof CostParts, string>>;
  /** True: prompt and answer are on their way to `broadcast_bodies`. */
  hasContent?: boolean;
}

/** One call of an upstream for the generation. */
export interface BroadcastAttempt {
  provider: string;
  /** The upstream's HTTP status; null when it did not answer. */
  status: number | null;
  /** The code of the failure; absent when it answered. */
  error?: string;
  latencyMs: number;
}

/** Prompt and answer without media. */
export interface BroadcastContent {
  /** Messages of a chat, or the one text of other kinds as a user's message; the newest are at the end. */
  input: Json[];
  /** The system prompt, where the dialect keeps it apart. */
  system?: string;
  tools?: Json[];
  /** One entry per choice: a message with its text, reasoning and tool calls. */
  output: Json[];
  /** The answer as plain text, for filters and tools that show one text. */
  outputText: string | null;
  /** True: older messages were left out to stay below the limit. */
  isTruncated?: boolean;
}

/** One generation as the log's reader joins it together. */
export interface BroadcastEvent {
  generationId: string;
  createdAt: Date;
  settledAt: Date;
  organizationId: string;
  workspaceId: string;
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
  country: string | null;
  sessionId: string | null;
  /** The creator of the key, `user_<id>`. */
  userId: string | null;
  /** The request's `user`. */
  externalUser: string | null;
  key: { hash: string; name: string } | null;
  usage: TokenUsage | null;
  latencyMs: number | null;
  generationMs: number | null;
  httpReferer: string | null;
  appTitle: string | null;
  userAgent: string | null;
  attempts: BroadcastAttempt[];
  facts: BroadcastFacts;
  /** Null where nothing is kept, or it is lost. */
  content: BroadcastContent | null;
}
