/** Lets every provider of chat also serve the messages and responses dialects, by translation. */
import type { Provider } from '../../../providers/provider.ts';
import { chatOverMessages } from './messages/chat-over-messages.ts';
import { messagesOverChat } from './messages/messages-over-chat.ts';
import { responsesOverChat } from './responses/responses-over-chat.ts';

/**
 * Returns a provider of chat that serves every dialect. It translates the dialects that the given provider does not
 * speak.
 */
export function withAllDialects(provider: Provider): Provider {
  const { messages, responses, chat = messages && chatOverMessages(messages) } = provider;
  if (chat === undefined) return provider;
  return {
    ...provider,
    chat,
    messages: messages ?? messagesOverChat(chat),
    responses: responses ?? responsesOverChat(chat),
  };
}
