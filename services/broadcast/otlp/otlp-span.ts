/** Defines the form of a span between our own model of it and the OTLP encoder. */
import type { Attributes } from '../../../domain/broadcast/attribute.ts';
import type { SpanEvent } from '../../../domain/broadcast/span-events.ts';

/** A span with every field that OTLP has. */
export interface OtlpSpan {
  /** 32 hex digits in lower case. */
  traceId: string;
  /** 16 hex digits in lower case. */
  spanId: string;
  parentSpanId?: string | undefined;
  name: string;
  startedAtMs: number;
  endedAtMs: number;
  /** The error; absent for a span that succeeded. */
  errorMessage?: string | undefined;
  attributes: Attributes;
  events: SpanEvent[];
}
