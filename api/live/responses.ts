/** Answers requests in the shape of OpenAI's Responses API. */
import type { responseOperations } from '../../contract/live/responses.ts';
import type { ResponsesService } from '../../services/live/responses/responses-service.ts';
import type { RoutesOf } from '../http/route.ts';
import { answerText, toLiveCall } from './to-live-call.ts';

export const responseRoutes: RoutesOf<typeof responseOperations, { responses: ResponsesService }> = {
  /** Handles `POST /responses`: answers in the shape of OpenAI's Responses API, as a whole or as a stream of events. */
  createResponse: async (call, { services }) => answerText(services.responses, toLiveCall(call)),
};
