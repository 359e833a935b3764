/** Answers chat requests. */
import type { chatOperations } from '../../contract/live/chat.ts';
import type { ChatService } from '../../services/live/chat/chat-service.ts';
import type { RoutesOf } from '../http/route.ts';
import { answerText, toLiveCall } from './to-live-call.ts';

export const chatRoutes: RoutesOf<typeof chatOperations, { chat: ChatService }> = {
  /** Handles `POST /chat/completions`: answers a conversation, as a whole or as a stream of events. */
  createChatCompletion: async (call, { services }) => answerText(services.chat, toLiveCall(call)),
};
