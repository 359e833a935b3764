import type { DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import { createHttpAdapter } from './create-http-adapter.ts';
import { DEFAULT_LIMITS } from './destination-adapter.ts';
import { joinUrl } from './join-url.ts';
import { pause } from './classify-answer.ts';
import { toJson } from './to-json.ts';
import type { BroadcastSpan, SpanOperation } from '../../../domain/broadcast/span.ts';
import { inputMessages, outputMessages } from './content-messages.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * Sends spans to Datadog's API for LLM applications. Datadog answers 202 with an empty body, and accepts spans of the
 * last 24 hours only.
 */
export const datadog = createHttpAdapter<DestinationConfigs['datadog']>({
  limits: { ...DEFAULT_LIMITS, maxAgeMs: DAY_MS },
  prepare: ({ spans }, { apiKey, mlApp, url }) => ({
    url: joinUrl(url, '/api/intake/llm-obs/v1/trace/spans'),
    headers: { 'content-type': 'application/json', 'dd-api-key': apiKey },
    body: Buffer.from(
      toJson({
        data: {
          type: 'span',
          attributes: {
            ml_app: mlApp,
            tags: [`service:${mlApp}`],
            spans: spans.map((span) => datadogSpan(span, mlApp)),
          },
        },
      }),
    ),
  }),
  classify({ status }) {
    if (status !== 403) return undefined;
    return pause('Datadog does not accept the API key at this site', status);
  },
});

/** Datadog's kind of span for each operation. Only `llm` has messages; the others have a text. */
const KINDS: Record<SpanOperation, 'llm' | 'embedding' | 'retrieval'> = {
  chat: 'llm',
  generate_content: 'llm',
  embeddings: 'embedding',
  retrieval: 'retrieval',
};

const NS_PER_MS = 1_000_000;

/** Returns a span in the form of Datadog's API for LLM applications. A root has the text `undefined` as its parent. */
function datadogSpan(span: BroadcastSpan, mlApp: string): Record<string, unknown> {
  return {
    name: span.name,
    span_id: span.spanId,
    trace_id: span.traceId,
    parent_id: span.parentSpanId ?? 'undefined',
    session_id: span.sessionId,
    start_ns: span.startedAtMs * NS_PER_MS,
    duration: (span.endedAtMs - span.startedAtMs) * NS_PER_MS,
    status: span.error === undefined ? 'ok' : 'error',
    meta: {
      kind: KINDS[span.operation],
      ...contentOf(span),
      metadata: metadataOf(span),
      error: span.error,
    },
    metrics: metricsOf(span),
    tags: tagsOf(span, mlApp),
  };
}

function contentOf({ content, operation }: BroadcastSpan): Record<string, unknown> {
  if (content === undefined) return {};
  const input = inputMessages(content);
  const output = outputMessages(content);
  if (KINDS[operation] === 'llm') return { input: { messages: input }, output: { messages: output } };
  const text = input.map((message) => message.content).join('\n');
  return { input: { value: text }, output: { value: content.outputText ?? undefined } };
}

function metadataOf(span: BroadcastSpan): Record<string, unknown> {
  const { parameters, metadata } = span;
  return {
    ...metadata,
    model_name: span.responseModel,
    model_provider: span.provider,
    temperature: parameters.temperature,
    max_tokens: parameters.maxTokens,
    finish_reason: span.finishReason,
    generation_id: span.generationId,
    trace_name: span.traceName,
    trace_id_text: span.traceIdText,
    stream: span.streamed,
    content_dropped: span.isContentDropped || undefined,
    cost: span.cost,
    cost_allocation: span.costAllocation,
    request_context: span.requestContext,
  };
}

function metricsOf({ usage, timeToFirstTokenMs, cost }: BroadcastSpan): Record<string, number | undefined> {
  return {
    input_tokens: usage?.input,
    output_tokens: usage?.output,
    total_tokens: usage?.total,
    cache_read_input_tokens: usage?.cacheRead,
    cache_write_input_tokens: usage?.cacheWrite,
    reasoning_output_tokens: usage?.reasoning,
    time_to_first_token: timeToFirstTokenMs === undefined ? undefined : timeToFirstTokenMs / 1_000,
    total_cost: cost?.total,
  };
}

function tagsOf({ identity, environment, release }: BroadcastSpan, mlApp: string): string[] {
  const tags = {
    service: mlApp,
    user_id: identity?.externalUser,
    api_key_name: identity?.apiKeyName,
    env: environment,
    version: release,
  };
  return Object.entries(tags).flatMap(([name, value]) => (value === undefined ? [] : [`${name}:${value}`]));
}
