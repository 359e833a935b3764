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
import { encodeTraces, type OtlpFormat } from './encode.ts';
import type { OtlpSpan } from './otlp-span.ts';

/** The families of names that some tools read in addition to those of the conventions. */
const NAME_SETS = {
  openrouter: openRouterAttributes,
  langfuse: langfuseAttributes,
  langsmith: langsmithAttributes,
  openinference: openInferenceAttributes,
  braintrust: braintrustAttributes,
};

type NameSet = keyof typeof NAME_SETS;

interface EncodeOptions {
  format: OtlpFormat;
  names: readonly NameSet[];
  /** Attributes of the OTLP resource. */
  resource: Record<string, string>;
  /** The length in characters to which longer texts are cut, including a mark. When absent, there is no limit. */
  maxValueLength?: number;
}

/** Writes spans with the names and in the format of OpenTelemetry. */
export const traceEncoder = {
  /** Returns the body of an OTLP export request. */
  encodeSpans(spans: readonly BroadcastSpan[], options: EncodeOptions): Uint8Array {
    const encoded = spans.map((span) => toOtlpSpan(span, options));
    return encodeTraces(encoded, options.resource, options.format);
  },

  /** Returns the attributes of one span. */
  attributesOf(span: BroadcastSpan, names: readonly NameSet[]): Attributes {
    return Object.assign(spanAttributes(span), ...names.map((name) => NAME_SETS[name](span)));
  },
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
