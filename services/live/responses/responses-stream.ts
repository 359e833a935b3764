/** Turns an upstream's stream in the Responses dialect into the server-sent events of the caller. */
import { randomUUID } from 'node:crypto';
import { AppError } from '../../../domain/errors.ts';
import type { AnswerInFlight } from '../../../platform/answers-in-flight.ts';
import type { DialectEvent } from '../../../providers/dialect-adapter.ts';
import { FailedAnswerError } from '../../../providers/failed-answer.ts';
import { type Fields, isFields } from '../../../domain/fields.ts';
import { newResponse } from '../../../providers/dialects/responses/response-object.ts';
import type { OpenGeneration } from '../generation.ts';
import type { LiveDeps } from '../live-deps.ts';
import type { Answered, EarlyFailure, LiveStream } from '../pipeline/live-operation.ts';
import { billText, type TextBill } from '../pipeline/text-bill.ts';
import { showUsage } from '../token-usage.ts';
import { type StreamProgress, errorEvent, failedEvent, keepDone } from './last-events.ts';
import type { ReadResponse } from './responses-body.ts';
import { draftEvent } from './responses-draft.ts';
import { ResponsesMeter } from './responses-meter.ts';
import { presentResponsesUsage, type ResponseStamp, stampOf, stampResponse } from './shown-response.ts';

const DONE = 'data: [DONE]\n\n';

/**
 * Presents a response's stream: every event carries the generation's id. The last one, with the whole response and
 * its cost, waits until the generation is in the ledger. A failure in mid-stream is `response.failed`.
 */
export function streamResponse(
  deps: LiveDeps,
  open: OpenGeneration,
  read: ReadResponse,
  answered: Answered<AsyncIterable<DialectEvent[]>>,
): LiveStream<DialectEvent, TextBill> {
  const { draft } = open;
  const stamp = stampOf(open, read, answered);
  const meter = new ResponsesMeter();
  const progress = newProgress(open, read, stamp);
  return {
    parts: answered.answer,
    present(arrived) {
      let text = '';
      for (const one of arrived) {
        meter.addEvent(one);
        if (draft !== null) draftEvent(draft, one);
        text += follow(progress, one, stamp, open.call.answer);
      }
      return text;
    },
    missing: () => (progress.last === undefined ? new AppError('provider_error') : undefined),
    brokenBy(error) {
      // A failed answer may contain a count, which the upstream charges for.
      if (error instanceof FailedAnswerError)
        meter.addEvent({ type: 'response.failed', response: error.answer });
    },
    bill: (failure) => billText(answered.target, read.promptAt(answered.target), meter, failure),
    last({ usage, cost }, failure) {
      const shown = presentResponsesUsage(showUsage(usage, cost, meter.counted, answered.target));
      if (failure !== undefined) return writeEvent(failedEvent(deps, progress, failure, shown), stamp) + DONE;
      const [before, after] = progress.last!;
      return before + JSON.stringify(shown) + after + DONE;
    },
    internalErrorEvent: (error) => writeEvent(errorEvent(deps, progress, error), stamp) + DONE,
  };
}

/**
 * Presents the stream of a response that failed before its first event. The stream has the starting events, because
 * clients expect them, and then the failure.
 */
export function failedResponse(
  deps: LiveDeps,
  open: OpenGeneration,
  read: ReadResponse,
  failure: EarlyFailure,
): string {
  const stamp = stampOf(open, read, failure);
  const progress = newProgress(open, read, stamp);
  const { initial: response } = progress;
  let text = '';
  for (const type of ['response.created', 'response.in_progress'])
    text += follow(progress, { type, response }, stamp, open.call.answer);
  return text + writeEvent(failedEvent(deps, progress, failure.error, null), stamp) + DONE;
}

function newProgress(
  { id }: OpenGeneration,
  { fields }: ReadResponse,
  { model }: ResponseStamp,
): StreamProgress {
  const initial = newResponse({ ...fields, model }, id);
  return { number: -1, initial, latest: undefined, done: new Map(), doneLength: 0, last: undefined };
}

/** Follows the stream by one event, and returns the event for the caller. The last event is kept instead. */
function follow(
  progress: StreamProgress,
  one: DialectEvent,
  stamp: ResponseStamp,
  answer: Pick<AnswerInFlight, 'add'>,
): string {
  const { type, response, output_index: index } = one;
  progress.number += 1;
  // Keep the upstream's event numbers if it sends any.
  if (typeof one['sequence_number'] === 'number') progress.number = one['sequence_number'];
  else one['sequence_number'] = progress.number;
  if (progress.last !== undefined) return '';
  if (isFields(response) && (type === 'response.completed' || type === 'response.incomplete')) {
    progress.last = aroundUsage(one, response, stamp);
    return '';
  }
  const written = writeEvent(one, stamp);
  if (type === 'response.output_item.done') answer.add(keepDone(progress, Number(index), written));
  else if (isFields(response)) progress.latest = written;
  return written;
}

/** A text that no upstream knows, in place of the usage that is not known yet. */
const USAGE = randomUUID();

function aroundUsage(
  one: DialectEvent,
  response: Fields,
  stamp: ResponseStamp,
): [before: string, after: string] {
  const written = writeEvent({ ...one, response: { ...response, usage: USAGE } }, stamp);
  const [before = '', after = ''] = written.split(JSON.stringify(USAGE));
  return [before, after];
}

function writeEvent(one: DialectEvent, stamp: ResponseStamp): string {
  if (isFields(one['response'])) stampResponse(one['response'], stamp);
  return `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`;
}
