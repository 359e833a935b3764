import type { Attributes } from '../../../domain/broadcast/attribute.ts';
import type { SpanEvent } from '../../../domain/broadcast/span-events.ts';

/** A span with everything that OTLP has a place for. */
export interface OtlpSpan {
  /** 32 hex digits in lower case. */
  traceId: string;
  /** 16 hex digits in lower case. */
  spanId: string;
  parentSpanId?: string;
  name: string;
  startedAtMs: number;
  endedAtMs: number;
  /** Absent: it succeeded. */
  errorMessage?: string;
  attributes: Attributes;
  events: SpanEvent[];
}
