/** Handles `POST /responses`: answers in the shape of OpenAI's Responses API, as a whole or as a stream of events. */
import { operations } from '../../contract/operations.ts';
import type { ResponsesResultBody } from '../../contract/live/responses-result.ts';
import { defineRoute } from '../http/route.ts';
import { EVENT_STREAM_HEADERS } from './event-stream-headers.ts';
import { textAnswerHeaders } from './text-answer-headers.ts';
import { toLiveCall } from './to-live-call.ts';

export const createResponse = defineRoute(operations.createResponse, async (call, { services }) => {
  const { responses } = services;
  if (call.body.stream === true) {
    const { events, ...facts } = await responses.stream(toLiveCall(call));
    const headers = { ...EVENT_STREAM_HEADERS, ...textAnswerHeaders(facts) };
    return { status: 200, headers, body: events };
  }
  const { answer, ...facts } = await responses.create(toLiveCall(call));
  // The adapter has checked the upstream's answer, and the service has added the contract's own fields.
  const body = answer as ResponsesResultBody;
  return { status: 200, headers: textAnswerHeaders(facts), body };
});
