import protobuf from 'protobufjs';

/**
 * The part of OTLP's trace format that a receiver reads, copied by hand from
 * https://github.com/open-telemetry/opentelemetry-proto (`opentelemetry/proto/{trace,common,resource}/v1`).
 */
const TRACE_FORMAT = `
  syntax = "proto3";
  message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; string schema_url = 3; }
  message Resource { repeated KeyValue attributes = 1; uint32 dropped_attributes_count = 2; }
  message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; string schema_url = 3; }
  message InstrumentationScope { string name = 1; string version = 2; }
  message Span {
    enum SpanKind {
      SPAN_KIND_UNSPECIFIED = 0;
      SPAN_KIND_INTERNAL = 1;
      SPAN_KIND_SERVER = 2;
      SPAN_KIND_CLIENT = 3;
    }
    message Event {
      fixed64 time_unix_nano = 1;
      string name = 2;
      repeated KeyValue attributes = 3;
      uint32 dropped_attributes_count = 4;
    }
    bytes trace_id = 1;
    bytes span_id = 2;
    string trace_state = 3;
    bytes parent_span_id = 4;
    string name = 5;
    SpanKind kind = 6;
    fixed64 start_time_unix_nano = 7;
    fixed64 end_time_unix_nano = 8;
    repeated KeyValue attributes = 9;
    uint32 dropped_attributes_count = 10;
    repeated Event events = 11;
    uint32 dropped_events_count = 12;
    uint32 dropped_links_count = 14;
    Status status = 15;
    fixed32 flags = 16;
  }
  message Status {
    enum StatusCode { STATUS_CODE_UNSET = 0; STATUS_CODE_OK = 1; STATUS_CODE_ERROR = 2; }
    string message = 2;
    StatusCode code = 3;
  }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message ArrayValue { repeated AnyValue values = 1; }
  message AnyValue {
    oneof value {
      string string_value = 1;
      bool bool_value = 2;
      int64 int_value = 3;
      double double_value = 4;
      ArrayValue array_value = 5;
    }
  }
`;

const request = protobuf.parse(TRACE_FORMAT).root.lookupType('ExportTraceServiceRequest');

/** An attribute's value as OTLP writes it: the name of its type, then the value. */
export type Value =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string | number }
  | { doubleValue: number }
  | { arrayValue: { values: Value[] } };

export interface Received {
  resource: { attributes: { key: string; value: Value }[] };
  scopeSpans: { scope: { name: string }; schemaUrl: string; spans: ReceivedSpan[] }[];
}

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Value }[];
  events: { timeUnixNano: string; name: string; attributes: { key: string; value: Value }[] }[];
  status: { code: number; message?: string };
}

export function valuesOf(attributes: readonly { key: string; value: Value }[]): { [name: string]: Value } {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value]));
}

/** Reads a body in either format into the shape of the JSON one, with ids in hex. */
export function readTraces(body: Uint8Array, format: 'json' | 'protobuf'): Received[] {
  const text =
    format === 'json'
      ? new TextDecoder('utf-8', { fatal: true }).decode(body)
      : JSON.stringify(readProtobuf(body));
  return (JSON.parse(text) as { resourceSpans?: Received[] }).resourceSpans ?? [];
}

function readProtobuf(body: Uint8Array): object {
  const decoded = request.toObject(request.decode(body), { longs: String, bytes: Array, defaults: true });
  return withHexIds(decoded) as object;
}

/** The JSON format has ids in hex. */
function withHexIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withHexIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      /^(trace|span|parentSpan)Id$/.test(name)
        ? Buffer.from(field as number[]).toString('hex')
        : withHexIds(field),
    ]),
  );
}
