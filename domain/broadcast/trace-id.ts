/** Parses trace and span ids that callers send. */
import { UUID_PATTERN } from '../ids.ts';
import type { Json } from '../ledger/broadcast-facts.ts';

/** The ids of a generation's span. They stay the same when the span is sent again. */
export interface SpanIds {
  /** 32 hex digits in lower case. */
  traceId: string;
  /** 16 hex digits in lower case. */
  spanId: string;
  /** The caller's own `trace_id`, if it is not a trace id of OpenTelemetry. */
  traceIdText?: string;
}

/** The caller's `trace_id`: a trace id of OpenTelemetry, or another text, which is hashed. */
export type CallersTraceId = { id: string } | { text: string };

const TRACE_ID_PATTERN = /^[0-9a-f]{32}$/i;
const SPAN_ID_PATTERN = /^[0-9a-f]{16}$/i;
const ONLY_ZEROS = /^[0-]+$/;

/**
 * Reads the caller's `trace_id`. Returns null if there is none or if it consists of zeros, which mean "no trace" in
 * OpenTelemetry.
 */
export function readTraceId(traceId: Json | undefined): CallersTraceId | null {
  if (typeof traceId !== 'string' || traceId === '') return null;
  if (!TRACE_ID_PATTERN.test(traceId) && !UUID_PATTERN.test(traceId)) return { text: traceId };
  return ONLY_ZEROS.test(traceId) ? null : { id: traceId.replaceAll('-', '').toLowerCase() };
}

/** Reads the id of a span in the caller's own trace. Returns null if it is malformed. */
export function readSpanId(spanId: Json | undefined): string | null {
  if (typeof spanId !== 'string' || !SPAN_ID_PATTERN.test(spanId) || ONLY_ZEROS.test(spanId)) return null;
  return spanId.toLowerCase();
}
