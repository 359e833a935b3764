import { reasonsBy } from '../../../domain/catalog/reasoning-share.ts';
import { fieldsIn } from '../../../domain/fields.ts';
import { HINTS } from '../../../domain/hints.ts';
import { UnsupportedFields } from '../../../domain/unsupported-fields.ts';
import type { LiveCallContext } from '../../call-context.ts';
import type { ChatAdapter, TextRequest } from '../../chat-adapter.ts';
import type { DialectAdapter } from '../../dialect-adapter.ts';
import { adaptThoughts } from '../../foreign-thoughts.ts';
import { withoutHints } from '../hints.ts';
import { translateStream } from '../translated-stream.ts';
import { answerToChat } from './answer-to-chat.ts';
import { toConversation } from './chat-messages.ts';
import { toMessagesOptions } from './chat-options.ts';
import { toMessagesTools } from './chat-tools.ts';
import { createChunkTranslator } from './events-to-chunks.ts';
import { withoutForeignDetails } from './thinking.ts';

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

/** The facts about an endpoint that affect the translation. */
type EndpointFacts = Pick<LiveCallContext, 'reasoning' | 'maxOutputTokens'>;

/**
 * Translates a chat request to Anthropic's dialect, for an endpoint with these facts. Throws an UnsupportedFieldsError
 * that names every field without a counterpart.
 */
export function toMessagesRequest(
  request: TextRequest,
  { reasoning, maxOutputTokens }: EndpointFacts = {},
): TextRequest {
  const unsupported = new UnsupportedFields();
  const translated = {
    ...toMessagesOptions(request, unsupported, { reasonsBy: reasonsBy(reasoning), maxOutputTokens }),
    ...toConversation(fieldsIn(request['messages']), unsupported),
    ...toMessagesTools(request, unsupported),
    model: request.model,
  };
  unsupported.throwIfAny();
  return translated;
}
