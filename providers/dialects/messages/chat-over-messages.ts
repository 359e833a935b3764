import { HINTS } from '../../../domain/hints.ts';
import type { LiveCallContext } from '../../call-context.ts';
import type { ChatAdapter, TextRequest } from '../../chat-adapter.ts';
import type { DialectAdapter } from '../../dialect-adapter.ts';
import { adaptThoughts } from '../../foreign-thoughts.ts';
import { withoutHints } from '../hints.ts';
import { translateStream } from '../translated-stream.ts';
import { answerToChat } from './answer-to-chat.ts';
import { createChunkTranslator } from './events-to-chunks.ts';
import { withoutForeignDetails } from './thinking.ts';
import { toMessagesRequest } from './to-messages-request.ts';

/**
 * Serves chat through an endpoint that speaks Anthropic's dialect. Hints are left out. Other fields without a
 * counterpart there cause an UnsupportedFieldsError.
 */
export function chatOverMessages(messages: DialectAdapter): ChatAdapter {
  return {
    cacheControl: true,
    defaultMaxTokens: messages.defaultMaxTokens,
    async complete(request, context) {
      return answerToChat(await messages.create(translated(request, context), context));
    },
    async stream(request, context) {
      const events = await messages.stream(translated(request, context), context);
      return translateStream(events, createChunkTranslator());
    },
  };
}

function translated(request: TextRequest, context: LiveCallContext): TextRequest {
  const sent = adaptThoughts(withoutHints(request, context, HINTS), context, withoutForeignDetails);
  return toMessagesRequest(sent, context);
}
