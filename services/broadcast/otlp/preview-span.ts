/** Shows a span in the form that a preview of a destination returns. */
import type { DestinationType } from '../../../domain/broadcast/destination.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import { destinationTypes } from '../destinations/registry.ts';
import { traceEncoder } from './trace-encoder.ts';

interface PreviewedAttribute {
  key: string;
  value: Record<string, unknown>;
}

/** A span as OTLP writes it in JSON. */
export interface PreviewedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: PreviewedAttribute[];
  droppedAttributesCount: number;
  events: {
    name: string;
    timeUnixNano: string;
    attributes: PreviewedAttribute[];
    droppedAttributesCount: number;
  }[];
  droppedEventsCount: number;
  status: { code: number; message?: string };
  links: Record<string, unknown>[];
  droppedLinksCount: number;
  flags: number;
}

/**
 * Returns the span as OTLP in JSON with the names of a destination's type, also for types with a format of their own.
 */
export function previewSpan(span: BroadcastSpan, type: DestinationType): PreviewedSpan {
  const wire = destinationTypes[type].otlp ?? { names: ['openrouter'] };
  const body = traceEncoder.encodeSpans([span], { ...wire, format: 'json', resource: {} });
  const { resourceSpans } = JSON.parse(Buffer.from(body).toString('utf8')) as {
    resourceSpans: [{ scopeSpans: [{ spans: [PreviewedSpan] }] }];
  };
  return resourceSpans[0].scopeSpans[0].spans[0];
}
