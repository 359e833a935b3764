import { AppError } from '../../../domain/errors.ts';
import { ProviderError } from '../../../domain/provider-error.ts';
import type { DialectEvent } from '../../../providers/dialect-adapter.ts';
import { FailedAnswerError } from '../../../providers/failed-answer.ts';
import { isFields } from '../../dialects/fields.ts';
import { newResponse } from '../../dialects/responses/response-object.ts';
import { toCallerError } from '../../routing/provider-failure.ts';
import { type ChatSource, createSettlement } from '../chat/chat-settlement.ts';
import { EventStream, type Pieces } from '../event-stream.ts';
import type { LiveDeps } from '../live-deps.ts';
import type { BegunResponse } from './responses-body.ts';
import { draftEvent } from './responses-draft.ts';
import { type Course, endedEvent, errorEvent, failedEvent } from './last-events.ts';
import { createResponsesMeter, type ResponsesMeter } from './responses-meter.ts';
import { presentResponsesUsage, type ResponseStamp, stampResponse } from './shown-response.ts';
import { showUsage } from '../token-usage.ts';

export interface ResponsesSource extends ChatSource<DialectEvent> {
  stamp: ResponseStamp;
}

const DONE = 'data: [DONE]\n\n';

/**
 * The caller's stream: every event under the generation's id, then, once the generation is in the ledger, the last
 * with the whole response and what it cost. A failure in mid-stream is `response.failed`; what was used is billed. A
 * caller who leaves ends the upstream's stream, and what was sent is billed.
 */
export function streamResponse(deps: LiveDeps, begun: BegunResponse, source: ResponsesSource): EventStream {
  return new EventStream(eventsOf(deps, begun, source));
}

async function* eventsOf(deps: LiveDeps, begun: BegunResponse, source: ResponsesSource): Pieces {
  const meter = createResponsesMeter();
  const settlement = createSettlement(deps, begun, source, meter);
  const response = newResponse({ ...begun.fields, model: source.stamp.model }, begun.open.id);
  const course: Course = { number: -1, response, done: new Map(), last: undefined };
  try {
    const failure = yield* passOn(begun, source, meter, course);
    const { usage, cost } = await settlement.end(failure);
    const shown = presentResponsesUsage(showUsage(usage, cost, meter.counted));
    const last =
      failure === undefined ? endedEvent(course.last!, shown) : failedEvent(deps, course, failure, shown);
    return told(last, source.stamp) + DONE;
  } catch (error) {
    // The ledger did not take it, or worse: the caller must not believe that the answer is whole.
    const { requestId } = begun.open.call.client;
    deps.logger.error({ err: error, requestId }, 'a stream could not be ended');
    const reason = error instanceof AppError ? error : new AppError('internal');
    return told(errorEvent(deps, course, reason), source.stamp) + DONE;
  } finally {
    // Only where the caller left in the middle it has not ended yet.
    await settlement.abandon();
  }
}

/** All events but the last, as they come. Resolves with what cut them off, if anything did. */
async function* passOn(
  { open }: BegunResponse,
  source: ResponsesSource,
  meter: ResponsesMeter,
  course: Course,
): AsyncGenerator<string, AppError | undefined> {
  try {
    for await (const arrived of source.answer) {
      let text = '';
      for (const one of arrived) {
        meter.see(one);
        if (open.draft !== null) draftEvent(open.draft, one);
        follow(course, one);
        if (course.last === undefined) text += told(one, source.stamp);
      }
      if (text !== '') yield text;
    }
    return course.last === undefined ? new AppError('provider_error') : undefined;
  } catch (error) {
    // What the upstream counted for it is what it charges.
    if (error instanceof FailedAnswerError) meter.see({ type: 'response.failed', response: error.answer });
    return error instanceof ProviderError ? toCallerError(error) : new AppError('internal', { cause: error });
  }
}

function follow(course: Course, one: DialectEvent): void {
  const { type, response, output_index: index, item } = one;
  course.number += 1;
  // Told in the upstream's numbers, if it has any.
  if (typeof one['sequence_number'] === 'number') course.number = one['sequence_number'];
  else one['sequence_number'] = course.number;
  if (type === 'response.output_item.done') course.done.set(Number(index), item);
  if (!isFields(response)) return;
  course.response = response;
  if (type === 'response.completed' || type === 'response.incomplete') course.last = one;
}

function told(one: DialectEvent, stamp: ResponseStamp): string {
  if (isFields(one['response'])) stampResponse(one['response'], stamp);
  return `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`;
}
