/** Lets every provider of chat also serve the messages and responses dialects, by translation. */
import type { ChatAdapter } from '../chat-adapter.ts';
import type { DialectAdapter } from '../dialect-adapter.ts';
import type { Provider } from '../provider.ts';
import { createHintFilter, NOT_IN_MESSAGES, NOT_IN_RESPONSES } from './hints.ts';
import { chatOverMessages } from './messages/chat-over-messages.ts';
import { messagesOverChat } from './messages/messages-over-chat.ts';
import { responsesOverChat } from './responses/responses-over-chat.ts';

/**
 * Returns a provider of chat that serves every dialect. It translates the dialects that the given provider does not
 * speak, and leaves out hints that an endpoint cannot take.
 */
export function withAllDialects(provider: Provider): Provider {
  const messages = provider.messages && withoutHintsOf(provider.messages, NOT_IN_MESSAGES);
  const responses = provider.responses && withoutHintsOf(provider.responses, NOT_IN_RESPONSES);
  const chat = provider.chat ? withoutRefusedHints(provider.chat) : messages && chatOverMessages(messages);
  if (chat === undefined) return provider;
  return {
    ...provider,
    chat,
    messages: messages ?? messagesOverChat(chat),
    responses: responses ?? responsesOverChat(chat),
  };
}

function withoutRefusedHints(chat: ChatAdapter): ChatAdapter {
  const filter = createHintFilter();
  return {
    ...chat,
    complete: (request, context) => filter(request, context, (sent) => chat.complete(sent, context)),
    stream: (request, context) => filter(request, context, (sent) => chat.stream(sent, context)),
  };
}

function withoutHintsOf(
  adapter: DialectAdapter,
  unknown: Parameters<typeof createHintFilter>[0],
): DialectAdapter {
  const filter = createHintFilter(unknown);
  return {
    ...adapter,
    create: (request, context) => filter(request, context, (sent) => adapter.create(sent, context)),
    stream: (request, context) => filter(request, context, (sent) => adapter.stream(sent, context)),
  };
}
