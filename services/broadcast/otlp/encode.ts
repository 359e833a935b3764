import { type HrTime, type SpanContext, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { CONVENTIONS_SCHEMA_URL } from '../../../domain/broadcast/semantic-names.ts';
import type { Attributes } from '../../../domain/broadcast/attribute.ts';
import type { TraceFormat } from '../destinations/destination-adapter.ts';
import type { SpanEvent } from '../../../domain/broadcast/span-events.ts';

const SERIALIZERS = { json: JsonTraceSerializer, protobuf: ProtobufTraceSerializer };

const SCOPE = { name: 'sluice', schemaUrl: CONVENTIONS_SCHEMA_URL };

/**
 * Encodes spans as the body of one OTLP request. No other module imports the encoding package, whose releases change
 * its interface.
 *
 * JavaScript has one type of number. Like every exporter in JavaScript, this sends a value without a fraction as an
 * integer and any other as a double.
 */
export function encodeTraces(
  spans: readonly OtlpSpan[],
  resource: Record<string, string>,
  format: TraceFormat,
): Uint8Array {
  const sender = resourceFromAttributes(resource);
  const bytes = SERIALIZERS[format].serializeRequest(spans.map((span) => toReadableSpan(span, sender)));
  if (bytes === undefined) throw new Error('the spans could not be encoded');
  return bytes;
}

function toReadableSpan(span: OtlpSpan, resource: Resource): ReadableSpan {
  const { traceId, parentSpanId, errorMessage } = span;
  const context: SpanContext = { traceId, spanId: span.spanId, traceFlags: TraceFlags.SAMPLED };
  return {
    name: span.name.toWellFormed(),
    kind: SpanKind.CLIENT,
    spanContext: () => context,
    ...(parentSpanId === undefined
      ? {}
      : { parentSpanContext: { ...context, spanId: parentSpanId, isRemote: true } }),
    startTime: toHrTime(span.startedAtMs),
    endTime: toHrTime(span.endedAtMs),
    duration: toHrTime(span.endedAtMs - span.startedAtMs),
    status:
      errorMessage === undefined
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, message: errorMessage.toWellFormed() },
    attributes: span.attributes,
    events: span.events.map(({ name, atMs, attributes }) => ({ name, time: toHrTime(atMs), attributes })),
    links: [],
    ended: true,
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/**
 * Returns seconds and nanoseconds, rounded to the nanosecond. A single float for the whole time would lose precision.
 */
function toHrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  const nanos = Math.round((ms - seconds * 1_000) * 1e6);
  return nanos === 1e9 ? [seconds + 1, 0] : [seconds, nanos];
}

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
