/** Defines the events that are forwarded to observability destinations, one for each generation. */
import type { Region } from '../catalog/catalog.ts';
import type { ApiType, GenerationStatus } from '../ledger/generation.ts';
import type { TokenUsage } from '../token-usage.ts';
import type { Nanos } from '../money.ts';
import type { BroadcastFacts, Json } from '../ledger/broadcast-facts.ts';

/** One call of an upstream for the generation. */
export interface BroadcastAttempt {
  provider: string;
  /** The upstream's HTTP status; null when it did not answer. */
  status: number | null;
  /** The code of the failure; absent if the upstream answered. */
  error?: string | undefined;
  /** Absent for a video job, because its upstream call only submits the job. */
  latencyMs?: number;
}

/** Prompt and answer without media. */
export interface BroadcastContent {
  /** Messages of a chat, or the one text of other kinds as a user's message; the newest are at the end. */
  input: Json[];
  /** The system prompt, where the dialect keeps it apart. */
  system?: string | undefined;
  tools?: Json[] | undefined;
  /** One entry per choice: a message with its text, reasoning and tool calls. */
  output: Json[];
  /** The answer as plain text, for filters and tools that show one text. */
  outputText: string | null;
  /** True: older messages were left out, or texts cut, to stay below the limit. */
  isTruncated?: boolean;
  /** Present if texts or messages were cut: names what filters still find whole. */
  wholeFields?: ('input' | 'output')[];
}

/**
 * One generation as the reader of the broadcast log assembles it. It lists its facts instead of extending the ledger's
 * record, so that a new column of the ledger does not reach destinations by itself.
 */
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
  /** Null if no content was kept, or if it was lost. */
  content: BroadcastContent | null;
}
