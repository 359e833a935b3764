/** Defines the span that stands for one generation, before it is encoded for a tool. */
import type { BroadcastContent } from './event.ts';
import type { Json, RequestParameters } from '../ledger/broadcast-facts.ts';

/** The names of the operations in the conventions for generative AI. */
export type SpanOperation = 'chat' | 'embeddings' | 'retrieval' | 'generate_content';

/**
 * One generation as a destination receives it: after its flags and its privacy mode, before the tool's own format.
 * Unknown numbers and texts are absent, never 0 or empty.
 */
export interface BroadcastSpan {
  generationId: string;
  /** 32 hex digits. */
  traceId: string;
  /** 16 hex digits. */
  spanId: string;
  parentSpanId?: string | undefined;
  name: string;
  /** The caller's name for the whole trace. */
  traceName?: string | undefined;
  operation: SpanOperation;
  outputType?: 'text' | 'image' | 'speech' | 'video' | undefined;
  startedAtMs: number;
  endedAtMs: number;
  /** Absent: the generation succeeded. */
  error?: { type: string; message: string } | undefined;
  /** The provider's name in the conventions, else its slug. */
  provider: string;
  requestModel: string;
  responseModel: string;
  streamed: boolean;
  parameters: RequestParameters;
  finishReason?: string | undefined;
  /** Milliseconds. */
  timeToFirstTokenMs?: number | undefined;
  usage?: SpanUsage | undefined;
  sessionId?: string | undefined;
  /** The caller's own `trace_id`, if it is not a trace id of OpenTelemetry. */
  traceIdText?: string | undefined;
  environment?: string | undefined;
  release?: string | undefined;
  /** The caller's keys of `trace` that have no defined meaning. */
  metadata: { [name: string]: Json };
  /** Upstream calls, the last one included. */
  attempts: SpanAttempt[];
  /** Present only with the identity flag. */
  identity?: SpanIdentity | undefined;
  /** Dollars. Present only with the cost flag. */
  cost?: { total: number; upstream?: number | undefined; isByok: boolean } | undefined;
  /** Dollars by kind of token. Present only with the cost allocation flag, and if the parts add up. */
  costAllocation?: Record<string, number> | undefined;
  /** Present only with the request context flag. */
  requestContext?: RequestContext | undefined;
  /** Absent in privacy mode. */
  content?: BroadcastContent | undefined;
  /** True: the content could not be kept or was too large. */
  isContentDropped: boolean;
}

interface RequestContext {
  referer?: string | undefined;
  title?: string | undefined;
  userAgent?: string | undefined;
  country?: string | undefined;
}

export interface SpanUsage {
  input?: number | undefined;
  output?: number | undefined;
  total?: number | undefined;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
  reasoning?: number | undefined;
  inputAudio?: number | undefined;
  inputImage?: number | undefined;
  outputAudio?: number | undefined;
  outputImage?: number | undefined;
}

export interface SpanAttempt {
  provider: string;
  status?: number | undefined;
  error?: string | undefined;
  latencyMs?: number | undefined;
}

export interface SpanIdentity {
  user?: string | undefined;
  externalUser?: string | undefined;
  apiKeyName?: string | undefined;
  apiKeyHash?: string | undefined;
  organizationId: string;
  workspaceId: string;
}
