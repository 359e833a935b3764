import { parse } from 'protobufjs';
import type { Attributes, AttributeValue } from '../../../../domain/broadcast/attribute.ts';
import type { BroadcastSpan } from '../../../../domain/broadcast/span.ts';
import type { TraceEncoder } from '../../../../services/broadcast/destinations/destination-adapter.ts';

/** The parts of OTLP's messages that these tests look at. */
const { root } = parse(`
  syntax = "proto3";
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; string name = 5; uint32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
  }
  message ScopeSpans { repeated Span spans = 2; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Request { repeated ResourceSpans resource_spans = 1; }
  message PartialSuccess { int64 rejected_spans = 1; string error_message = 2; }
  message Response { PartialSuccess partial_success = 1; }
`);
const Request = root.lookupType('Request');
const Response = root.lookupType('Response');

export interface OtlpRequest {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] };
    scopeSpans: {
      spans: { traceId: unknown; spanId: unknown; name: string; attributes: OtlpAttribute[] }[];
    }[];
  }[];
}

interface OtlpAttribute {
  key: string;
  value: { stringValue?: string };
}

/** Writes few attributes, in both formats and as OTLP says. It shows the names that were asked for. */
export const smallEncoder: TraceEncoder = {
  attributesOf,
  encodeSpans(spans, { format, names, resource, maxValueLength = Infinity }) {
    const isJson = format === 'json';
    const attributes = (values: Record<string, AttributeValue>) =>
      Object.entries(values).map(([key, value]) => ({
        key,
        value: { stringValue: String(value).slice(0, maxValueLength) },
      }));
    const id = (hex: string) => (isJson ? hex : Buffer.from(hex, 'hex'));
    const request = {
      resourceSpans: [
        {
          resource: { attributes: attributes(resource) },
          scopeSpans: [
            {
              spans: spans.map((span) => ({
                traceId: id(span.traceId),
                spanId: id(span.spanId),
                name: span.name,
                kind: 3,
                startTimeUnixNano: `${span.startedAtMs}000000`,
                endTimeUnixNano: `${span.endedAtMs}000000`,
                attributes: attributes(attributesOf(span, names)),
              })),
            },
          ],
        },
      ],
    };
    return isJson
      ? Buffer.from(JSON.stringify(request))
      : Request.encode(Request.fromObject(request)).finish();
  },
};

function attributesOf(span: BroadcastSpan, names: readonly string[]): Attributes {
  const { content } = span;
  return {
    'gen_ai.response.id': span.generationId,
    'gen_ai.request.model': span.requestModel,
    'test.names': names.join(','),
    ...(content === undefined ? {} : { 'gen_ai.input.messages': JSON.stringify(content.input) }),
  };
}

/** Reads an export request strictly; throws for what is none. */
export function decodeRequest(body: Buffer, contentType: string | undefined): OtlpRequest {
  if (contentType === 'application/json') return JSON.parse(body.toString('utf8')) as OtlpRequest;
  return Request.toObject(Request.decode(body), { longs: String }) as OtlpRequest;
}

/** Writes the answer to an export of which some spans were dropped. */
export function partialSuccess(rejectedSpans: number): Buffer {
  const answer = { partialSuccess: { rejectedSpans, errorMessage: 'too many attributes' } };
  return Buffer.from(Response.encode(Response.fromObject(answer)).finish());
}

export function attributeOf(attributes: OtlpAttribute[], key: string): string | undefined {
  return attributes.find((attribute) => attribute.key === key)?.value.stringValue;
}
