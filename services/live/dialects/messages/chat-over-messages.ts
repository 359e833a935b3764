import type { ChatAdapter } from '../../../../providers/chat-adapter.ts';
import type { DialectAdapter } from '../../../../providers/dialect-adapter.ts';
import { translateStream } from '../translated-stream.ts';
import { answerToChat } from './answer-to-chat.ts';
import { createChunkTranslator } from './events-to-chunks.ts';
import { toMessagesRequest } from './to-messages-request.ts';

/**
 * Serves chat through an endpoint that speaks Anthropic's dialect. Fields without a counterpart there cause a
 * UnsupportedFieldsError.
 */
export function chatOverMessages(messages: DialectAdapter): ChatAdapter {
  return {
    cacheControl: true,
    defaultMaxTokens: messages.defaultMaxTokens,
    async complete(request, context) {
      return answerToChat(await messages.create(toMessagesRequest(request, context), context));
    },
    async stream(request, context) {
      return translateStream(
        await messages.stream(toMessagesRequest(request, context), context),
        createChunkTranslator(),
      );
    },
  };
}
