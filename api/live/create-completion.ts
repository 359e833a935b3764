/** Handles `POST /completions`: completes a text, as a whole or as a stream of events. */
import type { CompletionBody } from '../../contract/live/completions.ts';
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';
import { EVENT_STREAM_HEADERS } from './event-stream-headers.ts';
import { textAnswerHeaders } from './text-answer-headers.ts';
import { toLiveCall } from './to-live-call.ts';

export const createCompletion = defineRoute(operations.createCompletion, async (call, { services }) => {
  const { completions } = services;
  if (call.body.stream === true) {
    const { events, ...facts } = await completions.stream(toLiveCall(call));
    const headers = { ...EVENT_STREAM_HEADERS, ...textAnswerHeaders(facts) };
    return { status: 200, headers, body: events };
  }
  const { answer, ...facts } = await completions.create(toLiveCall(call));
  return { status: 200, headers: textAnswerHeaders(facts), body: answer as CompletionBody };
});
