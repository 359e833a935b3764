/** Answers requests to complete a text. */
import type { CompletionBody, completionOperations } from '../../contract/live/completions.ts';
import type { CompletionsService } from '../../services/live/completions/completions-service.ts';
import type { RoutesOf } from '../http/route.ts';
import { EVENT_STREAM_HEADERS, textAnswerHeaders, toLiveCall } from './to-live-call.ts';

export const completionRoutes: RoutesOf<typeof completionOperations, { completions: CompletionsService }> = {
  /** Handles `POST /completions`: completes a text, as a whole or as a stream of events. */
  createCompletion: async (call, { services }) => {
    const { completions } = services;
    if (call.body.stream === true) {
      const { events, ...facts } = await completions.stream(toLiveCall(call));
      const headers = { ...EVENT_STREAM_HEADERS, ...textAnswerHeaders(facts) };
      return { status: 200, headers, body: events };
    }
    const { answer, ...facts } = await completions.create(toLiveCall(call));
    return { status: 200, headers: textAnswerHeaders(facts), body: answer as CompletionBody };
  },
};
