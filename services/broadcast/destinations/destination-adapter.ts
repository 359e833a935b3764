import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import type { OutboundGuard } from '../../../platform/outbound-guard.ts';

/** The families of attribute names that tools understand beside the current conventions. */
export type NameSet = 'openrouter' | 'langfuse' | 'langsmith' | 'openinference' | 'braintrust';

export type TraceFormat = 'json' | 'protobuf';

export type AttributeValue = string | number | boolean | readonly string[];

export interface EncodeOptions {
  format: TraceFormat;
  names: readonly NameSet[];
  /** Attributes of the OTLP resource. */
  resource: Record<string, string>;
  /** Longer texts are cut to this many characters, a mark included. Absent: no limit. */
  maxValueLength?: number;
}

/** Writes spans in the names and the format of OpenTelemetry. */
export interface TraceEncoder {
  /** Returns the body of an OTLP export request. */
  encodeSpans(spans: readonly BroadcastSpan[], options: EncodeOptions): Uint8Array;
  /** Returns the attributes of one span. */
  attributesOf(span: BroadcastSpan, names: readonly NameSet[]): Record<string, AttributeValue>;
}

/** Spans that go to a tool together. */
export interface Batch {
  spans: readonly BroadcastSpan[];
  /** Names the batch within its destination. A repeated batch has the same id and the same spans. */
  id: string;
  destinationId: string;
}

export interface SendDeps {
  guard: Pick<OutboundGuard, 'fetch'>;
  encoder: TraceEncoder;
  /** The workspace's secrets for webhooks, the current one first. Only webhooks are signed. */
  webhookSecrets: readonly string[];
  /** The time for one answer, its body included. */
  timeoutMs: number;
  now(): number;
}

/** The time that a tool has for an answer. */
export const ANSWER_TIMEOUT_MS = 10_000;

export interface BatchLimits {
  events: number;
  /** Encoded and uncompressed. */
  bytes: number;
  /** The tool refuses spans that started earlier than this. Absent: any age is accepted. */
  maxAgeMs?: number;
}

/** The limits of tools that have none of their own below them. */
export const DEFAULT_LIMITS: BatchLimits = { events: 500, bytes: 4 * 1024 * 1024 };

/** Says what an answer, or a missing one, means for the batch. Reasons are sentences for people. */
export type Ruling =
  | {
      kind: 'delivered';
      /** How many spans the tool says that it dropped. */
      rejected: number;
    }
  | {
      kind: 'retry';
      reason: string;
      /** How long the tool asks to be left alone, at most an hour. */
      retryAfterMs?: number;
      /** True: the tool answered with a 5xx status, so the batch itself may be the cause. */
      isServerError: boolean;
    }
  /** The configuration is wrong, so no batch would arrive. */
  | { kind: 'pause'; reason: string }
  /** The batch must be divided. */
  | { kind: 'too_large'; reason: string }
  /** The tool refuses this payload, and would refuse it again. */
  | { kind: 'bad'; reason: string };

/** What became of a batch. */
export type Verdict = Ruling & {
  /** Null when no answer came, or nothing was sent. */
  status: number | null;
  /** Encoded and uncompressed. */
  bytes: number;
  /** At most 1 KiB of the answer, without the configuration's secrets. */
  excerpt?: string;
};

/** The answer to a connection test. It tells whether the tool accepts data, not whether the data shows up there. */
export interface TestAnswer {
  passed: boolean;
  status: number | null;
  /** At most 1 KiB: the tool's answer, else the reason of the failure. */
  text: string;
}

/** Sends batches to one type of tool. */
export interface DestinationAdapter<Config> {
  limits: BatchLimits;
  /** How spans are written for a tool that takes OTLP. Absent: the tool has a format of its own. */
  otlp?: Pick<EncodeOptions, 'names' | 'maxValueLength'>;
  /** Sends a batch once. Rejects only with the reason of `signal`, or for a defect of our own. */
  send(batch: Batch, config: Config, deps: SendDeps, signal: AbortSignal): Promise<Verdict>;
  /** Tests the connection. Absent: a batch of one synthetic span is sent. */
  test?(config: Config, deps: SendDeps, signal: AbortSignal): Promise<Verdict>;
}
