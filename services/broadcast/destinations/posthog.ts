/** Sends generations to PostHog as events. */
import type { DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import { createHttpAdapter } from './create-http-adapter.ts';
import { DEFAULT_LIMITS } from './destination-adapter.ts';
import { joinUrl } from './join-url.ts';
import { toJson } from './to-json.ts';
import type { Json } from '../../../domain/ledger/broadcast-facts.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import { stableUuid } from './stable-uuid.ts';

/** The size above which PostHog drops an event and still answers 200. */
const EVENT_BYTES = 1_000_000;

/** Sends events to PostHog's batch endpoint. The key is in the body. */
export const posthog = createHttpAdapter<DestinationConfigs['posthog']>({
  limits: DEFAULT_LIMITS,
  prepare({ spans }, { apiKey, endpoint }) {
    const events = spans.map((span) => toJson(posthogEvent(span)));
    const head = `{"api_key":${toJson(apiKey)},"historical_migration":false,"batch":[`;
    const body = Buffer.from(`${head}${events.join(',')}]}`);
    if (events.some((event) => Buffer.byteLength(event) > EVENT_BYTES)) {
      const reason = `An event has more than ${EVENT_BYTES} bytes, which PostHog drops.`;
      return { kind: 'too_large', reason, status: null, bytes: body.length };
    }
    return { url: joinUrl(endpoint, '/batch/'), headers: { 'content-type': 'application/json' }, body };
  },
});

/** The depth to which PostHog shows objects. */
const MAX_DEPTH = 3;

/**
 * Returns a span as PostHog's event of a generation. Each generation has a stable `uuid`. Unknown token counts are
 * absent, because PostHog would price a 0 as known.
 */
function posthogEvent(span: BroadcastSpan): Record<string, unknown> {
  const user = span.identity?.externalUser;
  return {
    event: '$ai_generation',
    // PostHog drops an event without a person, and answers 200.
    distinct_id: user ?? span.traceId,
    timestamp: new Date(span.startedAtMs).toISOString(),
    uuid: stableUuid(span.generationId),
    properties: {
      ...metadataOf(span),
      ...generationOf(span),
      ...(user === undefined ? { $process_person_profile: false } : {}),
    },
  };
}

function generationOf(span: BroadcastSpan): Record<string, unknown> {
  const { usage, content, error } = span;
  return {
    $ai_trace_id: span.traceId,
    $ai_session_id: span.sessionId,
    $ai_span_id: span.spanId,
    $ai_parent_id: span.parentSpanId,
    $ai_span_name: span.name,
    $ai_model: span.responseModel,
    $ai_provider: span.provider,
    $ai_model_parameters: span.parameters,
    $ai_input: content?.input,
    $ai_output_choices: content?.output,
    $ai_tools: content?.tools,
    $ai_input_tokens: usage?.input,
    $ai_output_tokens: usage?.output,
    $ai_cache_read_input_tokens: usage?.cacheRead,
    $ai_cache_creation_input_tokens: usage?.cacheWrite,
    $ai_reasoning_tokens: usage?.reasoning,
    $ai_total_cost_usd: span.cost?.total,
    $ai_latency: (span.endedAtMs - span.startedAtMs) / 1_000,
    $ai_http_status: span.attempts.at(-1)?.status,
    $ai_is_error: error !== undefined,
    $ai_error: error?.message,
    $ai_stream: span.streamed,
  };
}

/** Returns the caller's metadata, and facts for which PostHog has no property. */
function metadataOf(span: BroadcastSpan): Record<string, unknown> {
  const own = {
    generation_id: span.generationId,
    trace_name: span.traceName,
    trace_id: span.traceIdText,
    environment: span.environment,
    release: span.release,
    finish_reason: span.finishReason,
    api_key_name: span.identity?.apiKeyName,
    content_dropped: span.isContentDropped || undefined,
    cost_allocation: span.costAllocation,
    request_context: span.requestContext,
  };
  const callers = Object.entries(span.metadata).map(
    ([key, value]) => [key, truncateDepth(value, 1)] as const,
  );
  const all = [...Object.entries(own), ...callers];
  return Object.fromEntries(all.map(([key, value]) => [`metadata_${key}`, value]));
}

function truncateDepth(value: Json, depth: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[truncated]';
  if (Array.isArray(value)) return value.map((item) => truncateDepth(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, truncateDepth(item, depth + 1)]),
  );
}
