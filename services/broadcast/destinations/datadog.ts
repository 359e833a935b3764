import type { DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import { createHttpAdapter } from './create-http-adapter.ts';
import { datadogSpan } from './datadog-span.ts';
import { DEFAULT_LIMITS } from './destination-adapter.ts';
import { joinUrl } from './join-url.ts';
import { pause } from './classify-answer.ts';
import { toJson } from './to-json.ts';

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
