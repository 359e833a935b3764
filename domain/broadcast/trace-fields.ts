/** Parses the `trace` object of a request into names, ids and metadata of a span. */
import type { BroadcastFacts, Json } from '../ledger/broadcast-facts.ts';
import { readSpanId } from './trace-id.ts';

/** The fields of the caller's `trace` object other than the trace id. */
export interface TraceFields {
  /** The caller's name for the span. */
  name?: string | undefined;
  traceName?: string | undefined;
  parentSpanId?: string | undefined;
  environment?: string | undefined;
  release?: string | undefined;
  /** Keys without a defined meaning, or whose values do not fit it. */
  metadata: { [name: string]: Json };
}

/** Separates the keys of `trace` that have a meaning from the caller's own metadata. Only the trace id is left out. */
export function readTrace(trace: BroadcastFacts['trace']): TraceFields {
  if (trace === undefined) return { metadata: {} };
  const used = new Set(['trace_id']);
  const read = (key: string, parse: (value: Json | undefined) => string | null): string | undefined => {
    const value = parse(trace[key]);
    if (value === null) return undefined;
    used.add(key);
    return value;
  };
  return {
    name: read('generation_name', readText) ?? read('span_name', readText),
    traceName: read('trace_name', readText),
    parentSpanId: read('parent_span_id', readSpanId),
    environment: read('environment', readText),
    release: read('release', readText),
    // Last, because the calls above fill `used`.
    metadata: Object.fromEntries(Object.entries(trace).filter(([key]) => !used.has(key))),
  };
}

function readText(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
