/** Interprets the event stream of Anthropic's Messages API. */
import { isFields } from '../../domain/fields.ts';
import type { DialectEvent } from '../dialect-adapter.ts';
import { dropLongFacts, errorOfBody } from '../answer-checks.ts';
import type { EventReader } from '../streamed-answer.ts';
import type { NoteRepair } from '../repairs.ts';
import { errorEvent } from '../vendor-error.ts';
import { errorOf, readEvent } from './message-checks.ts';
import { MessageRepair } from './message-repair.ts';

/**
 * Reads the events of one stream, including pings. `message_stop` is the end. Without it, a stream is complete if the
 * model gave a stop reason.
 */
export function createMessagesReader(
  apiKey: string | undefined,
  note: NoteRepair,
): EventReader<DialectEvent> {
  const repair = new MessageRepair(note);
  let hasStopped = false;
  return {
    read({ type, data }) {
      if (type === 'error') throw errorEvent(data, [apiKey]);
      const event = readEvent(JSON.parse(data), apiKey, repair, note);
      for (const holder of [event, event['message'], event['delta']])
        if (isFields(holder)) dropLongFacts(data.length, holder, ['id', 'usage', 'stop_reason']);
      if (event.type === 'message_stop') return 'end';
      if (event.type === 'message_delta')
        hasStopped ||= typeof (event['delta'] as { stop_reason?: unknown }).stop_reason === 'string';
      return event;
    },
    readBody: (text) => errorOfBody(text, (body) => errorOf(body, apiKey)),
    rest() {
      const reason = repair.missingReason();
      if (reason === undefined) return undefined;
      return { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: {} };
    },
    isWhole: () => hasStopped,
  };
}
