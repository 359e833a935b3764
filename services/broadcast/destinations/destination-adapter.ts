/** Defines the interface that each type of observability destination implements, and the verdicts on a batch. */
import type { Attributes } from '../../../domain/broadcast/attribute.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import type { OutboundGuard } from '../../../platform/outbound-guard.ts';

/** The families of attribute names that tools understand in addition to the current conventions. */
export type NameSet = 'openrouter' | 'langfuse' | 'langsmith' | 'openinference' | 'braintrust';

export type TraceFormat = 'json' | 'protobuf';

export interface EncodeOptions {
  format: TraceFormat;
  names: readonly NameSet[];
  /** Attributes of the OTLP resource. */
  resource: Record<string, string>;
  /** The length in characters to which longer texts are cut, including a mark. When absent, there is no limit. */
  maxValueLength?: number;
}

/** Writes spans with the names and in the format of OpenTelemetry. */
export interface TraceEncoder {
  /** Returns the body of an OTLP export request. */
  encodeSpans(spans: readonly BroadcastSpan[], options: EncodeOptions): Uint8Array;
  /** Returns the attributes of one span. */
  attributesOf(span: BroadcastSpan, names: readonly NameSet[]): Attributes;
}

/** Spans that go to a tool together. */
export interface Batch {
  spans: readonly BroadcastSpan[];
  /** Identifies the batch within its destination. A repeated batch has an equal id and equal spans. */
  id: string;
  destinationId: string;
}

export interface SendDeps {
  guard: Pick<OutboundGuard, 'fetch'>;
  encoder: TraceEncoder;
  /** The workspace's secrets for webhooks, the current one first. Only webhooks are signed. */
  webhookSecrets: readonly string[];
  /** The timeout of one answer, its body included. */
  timeoutMs: number;
  now(): number;
}

/** The time that a tool has for an answer. */
export const ANSWER_TIMEOUT_MS = 10_000;

export interface BatchLimits {
  events: number;
  /** The limit of the encoded, uncompressed size. */
  bytes: number;
  /** The largest age of a span at its start; the tool refuses older ones. When absent, any age is accepted. */
  maxAgeMs?: number;
}

/** The limits for tools without lower ones of their own. */
export const DEFAULT_LIMITS: BatchLimits = { events: 500, bytes: 4 * 1024 * 1024 };

/** The meaning of an answer, or of a missing one, for the batch. Reasons are sentences for people. */
export type AnswerClass =
  | {
      kind: 'delivered';
      /** The number of spans that the tool reports as dropped. */
      rejected: number;
    }
  | {
      kind: 'retry';
      reason: string;
      /** The wait that the tool asks for, at most an hour. */
      retryAfterMs?: number | undefined;
      /** True when the tool answered with a 5xx status, so that the batch itself may be the cause. */
      isServerError: boolean;
    }
  /** The configuration is wrong, so no batch would arrive. */
  | { kind: 'pause'; reason: string }
  /** The batch must be divided. */
  | { kind: 'too_large'; reason: string }
  /** The tool refuses this payload, and would refuse it again. */
  | { kind: 'bad'; reason: string };

/** The outcome of sending a batch. */
export type SendOutcome = AnswerClass & {
  /** Null when no answer came, or nothing was sent. */
  status: number | null;
  /** The encoded, uncompressed size. */
  bytes: number;
  /** The first 1 KiB of the answer, without the configuration's secrets. */
  excerpt?: string | undefined;
};

/** The answer to a connection test. It shows whether the tool accepts data, but not whether the data appears there. */
export interface TestAnswer {
  passed: boolean;
  status: number | null;
  /** The tool's answer, or else the reason of the failure, up to 1 KiB. */
  text: string;
}

/** Sends batches to one type of tool. */
export interface DestinationAdapter<Config> {
  limits: BatchLimits;
  /** The options for spans of a tool that takes OTLP. Absent for a tool with a format of its own. */
  otlp?: Pick<EncodeOptions, 'names' | 'maxValueLength'>;
  /** Sends a batch once. Rejects only with the reason of `signal`, or because of a defect in this code. */
  send(batch: Batch, config: Config, deps: SendDeps, signal: AbortSignal): Promise<SendOutcome>;
  /** Tests the connection. When absent, a batch of one synthetic span is sent. */
  test?(config: Config, deps: SendDeps, signal: AbortSignal): Promise<SendOutcome>;
}
