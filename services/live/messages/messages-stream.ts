/** Turns an upstream's stream in Anthropic's dialect into the server-sent events of the caller. */
import { AppError } from '../../../domain/errors.ts';
import type { DialectEvent } from '../../../providers/dialect-adapter.ts';
import { type Fields, isFields } from '../../../domain/fields.ts';
import { createChunkTranslator } from '../../../providers/dialects/messages/events-to-chunks.ts';
import type { OpenGeneration } from '../generation.ts';
import type { Answered, LiveStream } from '../pipeline/live-operation.ts';
import { billText, type TextBill } from '../pipeline/text-bill.ts';
import type { PromptFacts } from '../prompt/prompt-facts.ts';
import type { MessagesDeps } from './messages-deps.ts';
import { MessagesMeter } from './messages-meter.ts';
import { showMessagesUsage } from './messages-usage.ts';

/**
 * Presents a message's stream: every event carries the generation's id. The last `message_delta`, with usage and
 * price, and `message_stop` wait until the generation is in the ledger. A failure in mid-stream is an `error` and the
 * last event.
 */
export function streamMessage(
  deps: MessagesDeps,
  open: OpenGeneration,
  prompt: PromptFacts,
  { target, answer, providerName }: Answered<AsyncIterable<DialectEvent[]>>,
): LiveStream<DialectEvent, TextBill> {
  const { draft, id } = open;
  const stamp = { id, model: target.model.id, provider: providerName };
  const meter = new MessagesMeter();
  const drafted = draft && createChunkTranslator();
  /** The JSON of the last `message_delta`, which waits for the price. Its objects may take many times the memory. */
  let lastDelta: string | undefined;
  return {
    parts: answer,
    present(arrived) {
      let text = '';
      for (const event of arrived) {
        meter.addEvent(event);
        if (draft) for (const chunk of drafted!.translate(event)) draft.addChunk(chunk);
        // Write all other events at once. A ping after the last delta therefore precedes it.
        if (event.type !== 'message_delta') text += writeEvent(stamped(event, stamp));
        else {
          if (lastDelta !== undefined) text += writeEvent(JSON.parse(lastDelta) as DialectEvent);
          lastDelta = JSON.stringify(event);
        }
      }
      return text;
    },
    missing: () => (lastDelta === undefined ? new AppError('provider_error') : undefined),
    bill: (failure) => billText(target, prompt, meter, failure),
    last({ usage, cost }, failure) {
      if (failure !== undefined) return failedMessage(deps, open, failure);
      const last = {
        ...(JSON.parse(lastDelta!) as DialectEvent),
        usage: showMessagesUsage(usage, cost, meter.reported, target),
      };
      return writeEvent(last) + writeEvent({ type: 'message_stop' });
    },
    internalErrorEvent: (error) => failedMessage(deps, open, error),
  };
}

/** Returns the event that ends a failed stream, with or without events before it. */
export function failedMessage(deps: MessagesDeps, { call }: OpenGeneration, error: AppError): string {
  return writeEvent(deps.messagesError(error, call.client.requestId));
}

/** Replaces the ids in the upstream's own object, which no other code holds. */
function stamped(event: DialectEvent, stamp: Fields): DialectEvent {
  if (event.type === 'message_start' && isFields(event['message'])) Object.assign(event['message'], stamp);
  return event;
}

function writeEvent(event: { type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
