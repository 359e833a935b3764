/** Answers requests in the shape of Anthropic's Messages API. */
import type { messageOperations } from '../../contract/live/messages.ts';
import type { MessagesService } from '../../services/live/messages/messages-service.ts';
import type { RoutesOf } from '../http/route.ts';
import { answerText, toLiveCall } from './to-live-call.ts';

export const messageRoutes: RoutesOf<typeof messageOperations, { messages: MessagesService }> = {
  /**
   * Handles `POST /messages`: answers in the shape of Anthropic's Messages API, as a whole or as a stream of events.
   */
  createMessage: async (call, { services }) => {
    const betas = [...(call.body.betas ?? []), ...betasIn(call.headers['anthropic-beta'])];
    const body = betas.length === 0 ? call.body : { ...call.body, betas };
    return answerText(services.messages, toLiveCall({ ...call, body }));
  },

  /** Handles `POST /messages/count_tokens`: estimates the tokens of a conversation without calling a provider. */
  countMessageTokens: async (call, { services }) => {
    const tokens = await services.messages.countTokens(toLiveCall(call));
    const { context_management: edits } = call.body;
    const context_management = edits ? { original_input_tokens: tokens } : undefined;
    return {
      status: 200,
      headers: { 'Sluice-Token-Count': 'estimated' },
      body: { input_tokens: tokens, context_management },
    };
  },
};

/** Returns the features in a header. Some names contain a date. */
function betasIn(header: string | undefined): string[] {
  return (header ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
