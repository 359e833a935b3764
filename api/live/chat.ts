/** Answers chat requests. */
import type { ChatCompletionBody } from '../../contract/live/chat-completion.ts';
import type { chatOperations } from '../../contract/live/chat.ts';
import type { ChatService } from '../../services/live/chat/chat-service.ts';
import type { RoutesOf } from '../http/route.ts';
import { EVENT_STREAM_HEADERS, textAnswerHeaders, toLiveCall } from './to-live-call.ts';

export const chatRoutes: RoutesOf<typeof chatOperations, { chat: ChatService }> = {
  /** Handles `POST /chat/completions`: answers a conversation, as a whole or as a stream of events. */
  createChatCompletion: async (call, { services }) => {
    const { chat } = services;
    if (call.body.stream === true) {
      const { events, ...facts } = await chat.stream(toLiveCall(call));
      const headers = { ...EVENT_STREAM_HEADERS, ...textAnswerHeaders(facts) };
      return { status: 200, headers, body: events };
    }
    const { answer, ...facts } = await chat.create(toLiveCall(call));
    // The adapter has checked the upstream's answer, and the service has added the contract's own fields.
    const body = answer as ChatCompletionBody;
    return { status: 200, headers: textAnswerHeaders(facts), body };
  },
};
