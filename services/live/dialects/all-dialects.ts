import type { Provider } from '../../../providers/provider.ts';
import { chatOverMessages } from './messages/chat-over-messages.ts';
import { messagesOverChat } from './messages/messages-over-chat.ts';
import { responsesOverChat } from './responses/responses-over-chat.ts';

/** Returns a provider of chat with every dialect: the ones that it speaks unchanged, the others by translation. */
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
