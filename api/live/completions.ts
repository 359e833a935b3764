/** Answers requests to complete a text. */
import type { completionOperations } from '../../contract/live/completions.ts';
import type { CompletionsService } from '../../services/live/completions/completions-service.ts';
import type { RoutesOf } from '../http/route.ts';
import { answerText, toLiveCall } from './to-live-call.ts';

export const completionRoutes: RoutesOf<typeof completionOperations, { completions: CompletionsService }> = {
  /** Handles `POST /completions`: completes a text, as a whole or as a stream of events. */
  createCompletion: async (call, { services }) => answerText(services.completions, toLiveCall(call)),
};
