/** Sends the usage and the cost of generations to Ramp. */
import type { DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import type { BroadcastSpan } from '../../../domain/broadcast/span.ts';
import { createHttpAdapter } from './create-http-adapter.ts';
import { createOtlpAdapter } from './create-otlp-adapter.ts';
import { DEFAULT_LIMITS } from './destination-adapter.ts';
import type { DestinationAdapter } from './destination-adapter.ts';
import { toJson } from './to-json.ts';

type Config = DestinationConfigs['ramp'];

const PARTNER_NAMES = ['openrouter'] as const;

/** Sends OTLP to the path that Ramp reserves for partners. */
const partner = createOtlpAdapter<Config>({
  format: 'json',
  gzip: false,
  names: PARTNER_NAMES,
  url: ({ baseUrl }) => baseUrl,
  headers: ({ apiKey }) => ({ authorization: `Bearer ${apiKey}` }),
  pauses: { 403: 'The key lacks the scope ai_usage:write' },
});

/** Sends Ramp's own usage events to the public path. */
const unified = createHttpAdapter<Config>({
  limits: DEFAULT_LIMITS,
  prepare: ({ spans }, { apiKey, baseUrl }) => ({
    url: baseUrl,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: Buffer.from(toJson({ schema_version: '1.0', events: spans.map(usageEvent) })),
  }),
});

/** Sends usage to Ramp. The last segment of the address selects one of its two formats. */
export const ramp: DestinationAdapter<Config> = {
  limits: DEFAULT_LIMITS,
  otlp: { names: PARTNER_NAMES },
  send(batch, config, deps, signal) {
    const path = URL.parse(config.baseUrl)?.pathname ?? '';
    const wire = /\/unified\/?$/.test(path) ? unified : partner;
    return wire.send(batch, config, deps, signal);
  },
};

function usageEvent(span: BroadcastSpan): Record<string, unknown> {
  const { usage, cost } = span;
  return {
    event_id: span.generationId,
    source: 'sluice',
    occurred_at: new Date(span.startedAtMs).toISOString(),
    provider: span.provider,
    model: span.responseModel,
    usage: {
      input_tokens: usage?.input,
      output_tokens: usage?.output,
      cache_read_input_tokens: usage?.cacheRead,
      cache_write_input_tokens: usage?.cacheWrite,
      reasoning_output_tokens: usage?.reasoning,
      // Ramp refuses an event without meters, even an empty list of them.
      meters: [],
    },
    reported_cost: cost && { amount: decimal(cost.total), currency: 'USD', estimated: false },
    attribution: {
      session_id: span.sessionId,
      user_id: span.identity?.externalUser,
    },
  };
}

/** Returns dollars with up to nine digits after the point, never in the notation of small numbers. */
function decimal(dollars: number): string {
  return dollars.toFixed(9).replace(/\.?0+$/, '');
}
