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
  parentSpanId?: string;
  name: string;
  /** The caller's name for the whole trace. */
  traceName?: string;
  operation: SpanOperation;
  outputType?: 'text' | 'image' | 'speech' | 'video';
  startedAtMs: number;
  endedAtMs: number;
  /** Absent: the generation succeeded. */
  error?: { type: string; message: string };
  /** The provider's name in the conventions, else its slug. */
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
  /** The caller's own `trace_id`, if it is not a trace id of OpenTelemetry. */
  traceIdText?: string;
  environment?: string;
  release?: string;
  /** The caller's keys of `trace` that have no defined meaning. */
  metadata: { [name: string]: Json };
  /** Upstream calls, the last one included. */
  attempts: SpanAttempt[];
  /** Present only with the identity flag. */
  identity?: SpanIdentity;
  /** Dollars. Present only with the cost flag. */
  cost?: { total: number; upstream?: number; isByok: boolean };
  /** Dollars by kind of token. Present only with the cost allocation flag, and if the parts add up. */
  costAllocation?: Record<string, number>;
  /** Present only with the request context flag. */
  requestContext?: { referer?: string; title?: string; userAgent?: string; country?: string };
  /** Absent in privacy mode. */
  content?: BroadcastContent;
  /** True: the content could not be kept or was too large. */
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
