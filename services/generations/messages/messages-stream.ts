import { AppError } from '../../../domain/errors.ts';
import { ProviderError } from '../../../domain/provider-error.ts';
import type { DialectEvent } from '../../../providers/dialect-adapter.ts';
import { type Fields, isFields } from '../../dialects/fields.ts';
import { createChunkTranslator } from '../../dialects/messages/events-to-chunks.ts';
import { toCallerError } from '../../routing/provider-failure.ts';
import type { BodyDraft } from '../body-draft.ts';
import { type ChatSource, createSettlement } from '../chat/chat-settlement.ts';
import { EventStream, type Pieces } from '../event-stream.ts';
import type { BegunMessage } from './messages-body.ts';
import { createMessagesMeter, type MessagesMeter } from './messages-meter.ts';
import type { MessagesDeps } from './messages-deps.ts';
import { showMessagesUsage } from './messages-usage.ts';

type MessagesSource = ChatSource<DialectEvent>;

/**
 * The caller's stream: every event under the generation's id, then, once the generation is in the ledger, the last
 * `message_delta` with the usage and its price, and `message_stop`. A failure in mid-stream is an `error` and the last
 * event; what was used is billed. A caller who leaves ends the upstream's stream, and what was sent is billed.
 */
export function streamMessage(deps: MessagesDeps, begun: BegunMessage, source: MessagesSource): EventStream {
  return new EventStream(eventsOf(deps, begun, source));
}

async function* eventsOf(deps: MessagesDeps, begun: BegunMessage, source: MessagesSource): Pieces {
  const meter = createMessagesMeter();
  const settlement = createSettlement(deps, begun, source, meter);
  const course: Course = { stamp: stampOf(deps, begun, source), held: undefined };
  const { requestId } = begun.open.call.client;
  try {
    const failure = yield* passOn(source.answer, meter, begun.open.draft, course);
    const { usage, cost } = await settlement.end(failure);
    if (failure !== undefined) return told(deps.messagesError(failure, requestId));
    const last = { ...course.held!, usage: showMessagesUsage(usage, cost, meter.told) };
    return told(last) + told({ type: 'message_stop' });
  } catch (error) {
    // The ledger did not take it, or worse: the caller must not believe that the answer is whole.
    deps.logger.error({ err: error, requestId }, 'a stream could not be ended');
    const shown = error instanceof AppError ? error : new AppError('internal');
    return told(deps.messagesError(shown, requestId));
  } finally {
    // Only where the caller left in the middle it has not ended yet.
    await settlement.abandon();
  }
}

interface Course {
  stamp: Fields;
  /** The last `message_delta`, which waits for the price. */
  held: DialectEvent | undefined;
}

/** All events but the last, as they come. Resolves with what cut them off, if anything did. */
async function* passOn(
  events: AsyncIterable<DialectEvent[]>,
  meter: MessagesMeter,
  draft: BodyDraft | null,
  course: Course,
): AsyncGenerator<string, AppError | undefined> {
  const drafted = draft && createChunkTranslator();
  try {
    for await (const arrived of events) {
      let text = '';
      for (const event of arrived) {
        meter.see(event);
        if (draft) for (const chunk of drafted!.translate(event)) draft.see(chunk);
        // What comes after the last, such as a ping, overtakes it.
        if (event.type !== 'message_delta') text += told(stamped(event, course.stamp));
        else {
          if (course.held !== undefined) text += told(course.held);
          course.held = event;
        }
      }
      if (text !== '') yield text;
    }
    return course.held === undefined ? new AppError('provider_error') : undefined;
  } catch (error) {
    return error instanceof ProviderError ? toCallerError(error) : new AppError('internal', { cause: error });
  }
}

function stampOf({ catalog }: MessagesDeps, { open }: BegunMessage, { target }: MessagesSource): Fields {
  const provider = catalog.providerName(target.endpoint.providerSlug);
  return { id: open.id, model: target.model.id, provider };
}

/** The upstream's own object, which nobody else holds. */
function stamped(event: DialectEvent, stamp: Fields): DialectEvent {
  if (event.type === 'message_start' && isFields(event['message'])) Object.assign(event['message'], stamp);
  return event;
}

function told(event: { type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
