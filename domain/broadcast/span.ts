import type { BroadcastContent } from './event.ts';
import type { Json, RequestParameters } from '../ledger/broadcast-facts.ts';

/** The names of the operations in the conventions for generative AI. */
export type SpanOperation = 'chat' | 'embeddings' | 'retrieval' | 'generate_content';

/**
 * One generation as a destination may see it: after its flags and its privacy mode, before any tool's own format. Unknown
 * numbers and texts are absent, never 0 or empty.
 */
export interface BroadcastSpan {
  generationId: string;
  /** 32 hex digits. */
  traceId: string;
  /** 16 hex digits. */
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** The caller's name for the whole trace. */
  traceName?: string;
  operation: SpanOperation;
  outputType?: 'text' | 'image' | 'speech' | 'video';
  startedAtMs: number;
  endedAtMs: number;
  /** Absent: it succeeded. */
  error?: { type: string; message: string };
  /** Name of the provider in the conventions, else its slug. */
  provider: string;
  requestModel: string;
  responseModel: string;
  streamed: boolean;
  parameters: RequestParameters;
  finishReason?: string;
  /** Milliseconds. */
  timeToFirstTokenMs?: number;
  usage?: SpanUsage;
  sessionId?: string;
  /** The caller's own `trace_id`, where it was no trace id of OpenTelemetry. */
  traceIdText?: string;
  environment?: string;
  release?: string;
  /** What the caller put in `trace` beside the keys that have a meaning. */
  metadata: { [name: string]: Json };
  /** Upstream calls, the last one included. */
  attempts: SpanAttempt[];
  /** Only with the identity flag. */
  identity?: SpanIdentity;
  /** Only with the cost flag. Dollars. */
  cost?: { total: number; upstream?: number; isByok: boolean };
  /** Only with the cost allocation flag, and where the parts add up. Dollars by kind of token. */
  costAllocation?: Record<string, number>;
  /** Only with the request context flag. */
  requestContext?: { referer?: string; title?: string; userAgent?: string; country?: string };
  /** Only without privacy mode. */
  content?: BroadcastContent;
  /** True: there was content, and it could not be kept or was too large. */
  isContentDropped: boolean;
}

export interface SpanUsage {
  input?: number;
  output?: number;
  total?: number;
  cacheRead?: number;
  cacheWrite?: number;
  reasoning?: number;
  inputAudio?: number;
  inputImage?: number;
  outputAudio?: number;
  outputImage?: number;
}

export interface SpanAttempt {
  provider: string;
  status?: number;
  error?: string;
  latencyMs?: number;
}

export interface SpanIdentity {
  user?: string;
  externalUser?: string;
  apiKeyName?: string;
  apiKeyHash?: string;
  organizationId: string;
  workspaceId: string;
}
