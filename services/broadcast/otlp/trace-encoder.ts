/** Encodes generations as OpenTelemetry spans, with the attribute names that the receiving tool understands. */
import type { Attributes } from '../../../domain/broadcast/attribute.ts';
import { spanAttributes } from '../../../domain/broadcast/attributes.ts';
import { limitAttributes } from '../../../domain/broadcast/limit-attributes.ts';
import { braintrustAttributes } from '../../../domain/broadcast/name-sets/braintrust.ts';
import { langfuseAttributes } from '../../../domain/broadcast/name-sets/langfuse.ts';
import { langsmithAttributes } from '../../../domain/broadcast/name-sets/langsmith.ts';
import { openInferenceAttributes } from '../../../domain/broadcast/name-sets/openinference.ts';
import { openRouterAttributes } from '../../../domain/broadcast/name-sets/openrouter.ts';
import { spanEvents } from '../../../domain/broadcast/span-events.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import type { EncodeOptions, NameSet, TraceEncoder } from '../destinations/destination-adapter.ts';
import { encodeTraces, type OtlpSpan } from './encode.ts';

/** The families of names that some tools read in addition to those of the conventions. */
const NAME_SETS: Record<NameSet, (span: BroadcastSpan) => Attributes> = {
  openrouter: openRouterAttributes,
  langfuse: langfuseAttributes,
  langsmith: langsmithAttributes,
  openinference: openInferenceAttributes,
  braintrust: braintrustAttributes,
};

/** Writes spans with the names and in the format of OpenTelemetry. */
export const traceEncoder: TraceEncoder = {
  encodeSpans(spans, options) {
    const encoded = spans.map((span) => toOtlpSpan(span, options));
    return encodeTraces(encoded, options.resource, options.format);
  },
  attributesOf: (span, names) =>
    Object.assign(spanAttributes(span), ...names.map((name) => NAME_SETS[name](span))),
};

function toOtlpSpan(span: BroadcastSpan, { names, maxValueLength }: EncodeOptions): OtlpSpan {
  const { traceId, spanId, parentSpanId, name, startedAtMs, endedAtMs, error } = span;
  const limit = (attributes: Attributes): Attributes =>
    maxValueLength === undefined ? attributes : limitAttributes(attributes, maxValueLength);
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    startedAtMs,
    endedAtMs,
    errorMessage: error?.message,
    attributes: limit(traceEncoder.attributesOf(span, names)),
    events: spanEvents(span).map((event) => ({ ...event, attributes: limit(event.attributes) })),
  };
}
