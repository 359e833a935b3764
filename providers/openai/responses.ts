import type { TextRequest } from '../chat-adapter.ts';
import type { DialectAdapter, DialectEvent } from '../dialect-adapter.ts';
import type { TextHttp } from '../text-http.ts';
import { withRegisteredMedia } from '../registered-media.ts';
import { noteOf, type NoteRepair } from '../repairs.ts';
import { withResponsesSchemas } from '../tool-schemas.ts';
import { LAST_EVENTS, readEvent, readResponse } from './responses-checks.ts';
import { isFields } from '../../domain/fields.ts';
import { ProviderError } from '../../domain/provider-error.ts';
import type { EventReader } from '../streamed-answer.ts';
import { dropLongFacts } from '../answer-checks.ts';
import { invalidResponse } from '../transport-failure.ts';

/**
 * Sends `POST /responses`. Written from OpenAI's published reference (openai-node,
 * `src/resources/responses/responses.ts`, read 2026-11-21). The vendor stores nothing: `store` is always false. Answers
 * and events are passed on unchanged.
 */
export function createResponsesAdapter(http: TextHttp): DialectAdapter {
  return {
    cacheControl: false,
    create: (request, context) =>
      http.post('responses', toVendor(request, false), context, {
        read: (body, secrets) => readResponse(JSON.parse(body.toString('utf8')), secrets, noteOf(context)),
      }),
    stream(request, context) {
      const reader = createResponsesReader(noteOf(context));
      return http.stream('responses', toVendor(request, true), context, reader);
    },
  };
}

/** Returns the request for the vendor, which rejects `stream_options` without streaming. */
function toVendor(given: TextRequest, stream: boolean): TextRequest {
  const { stream_options: options, ...request } = withRegisteredMedia(withResponsesSchemas(given));
  const streamed = options === undefined ? { stream } : { stream, stream_options: options };
  return { ...request, ...(stream ? streamed : { stream }), store: false };
}

/** The names of events that repeat the whole response, or the instructions and tools of the request. */
const WHOLE = /^response\.(?:created|queued|in_progress|completed|incomplete|failed)$/;

/** Finds the name of an event in the beginning of its data, for vendors that send it only there. */
const TYPE = /"type"\s*:\s*"(response\.\w+)"/;

/**
 * Reads the events of one stream, which its last event completes. `[DONE]`, which the vendor does not send, is ignored.
 */
function createResponsesReader(note: NoteRepair): EventReader<DialectEvent> {
  let isWhole = false;
  return {
    read({ data }, secrets) {
      if (data === '[DONE]') return undefined;
      const event = readEvent(JSON.parse(data), secrets, note);
      const { response } = event;
      if (isFields(response))
        dropLongFacts(data.length, response, ['id', 'service_tier', 'usage', 'incomplete_details']);
      if (LAST_EVENTS.has(event.type)) isWhole = true;
      return event;
    },
    readBody(text, secrets) {
      try {
        readResponse(JSON.parse(text), secrets, note);
        return invalidResponse(200, new Error('an answer that is no stream'));
      } catch (cause) {
        return cause instanceof ProviderError ? cause : invalidResponse(200, cause);
      }
    },
    mayBeWhole: ({ type, data }) => WHOLE.test(type || (TYPE.exec(data)?.[1] ?? '')),
    isWhole: () => isWhole,
    isOver: () => isWhole,
  };
}
