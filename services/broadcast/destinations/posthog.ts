/** Sends generations to PostHog as events. */
import type { DestinationConfigs } from '../../../domain/broadcast/destination-config.ts';
import { createHttpAdapter } from './create-http-adapter.ts';
import { DEFAULT_LIMITS } from './destination-adapter.ts';
import { joinUrl } from './join-url.ts';
import { posthogEvent } from './posthog-event.ts';
import { toJson } from './to-json.ts';

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
