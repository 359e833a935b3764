/** Interprets the event stream of OpenAI's Responses API. */
import { isFields } from '../../domain/fields.ts';
import { ProviderError } from '../../domain/provider-error.ts';
import type { DialectEvent } from '../dialect-adapter.ts';
import type { EventReader } from '../streamed-answer.ts';
import { dropLongFacts } from '../answer-checks.ts';
import type { NoteRepair } from '../repairs.ts';
import { invalidResponse } from '../transport-failure.ts';
import { errorEvent } from '../vendor-error.ts';
import { LAST_EVENTS, readEvent, readResponse } from './responses-checks.ts';

/** The names of events that repeat the whole response, or the instructions and tools of the request. */
const WHOLE = /^response\.(?:created|queued|in_progress|completed|incomplete|failed)$/;

/** Finds the name of an event in the beginning of its data, for vendors that send it only there. */
const TYPE = /"type"\s*:\s*"(response\.\w+)"/;

/**
 * Reads the events of one stream, which its last event completes. `[DONE]`, which the vendor does not send, is ignored.
 */
export function createResponsesReader(
  apiKey: string | undefined,
  note: NoteRepair,
): EventReader<DialectEvent> {
  let isWhole = false;
  return {
    read({ type, data }) {
      if (data === '[DONE]') return undefined;
      if (type === 'error') throw errorEvent(data, [apiKey]);
      const event = readEvent(JSON.parse(data), apiKey, note);
      const { response } = event;
      if (isFields(response))
        dropLongFacts(data.length, response, ['id', 'service_tier', 'usage', 'incomplete_details']);
      if (LAST_EVENTS.has(event.type)) isWhole = true;
      return event;
    },
    readBody(text) {
      try {
        readResponse(JSON.parse(text), apiKey, note);
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
