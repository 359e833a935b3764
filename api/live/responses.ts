/** Answers requests in the shape of OpenAI's Responses API. */
import type { ResponsesResultBody } from '../../contract/live/responses-result.ts';
import type { responseOperations } from '../../contract/live/responses.ts';
import type { ResponsesService } from '../../services/live/responses/responses-service.ts';
import type { RoutesOf } from '../http/route.ts';
import { EVENT_STREAM_HEADERS, textAnswerHeaders, toLiveCall } from './to-live-call.ts';

export const responseRoutes: RoutesOf<typeof responseOperations, { responses: ResponsesService }> = {
  /** Handles `POST /responses`: answers in the shape of OpenAI's Responses API, as a whole or as a stream of events. */
  createResponse: async (call, { services }) => {
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
  },
};
