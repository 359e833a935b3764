import { UnsupportedFields } from '../../../domain/unsupported-fields.ts';
import type { ChatAdapter, TextRequest } from '../../chat-adapter.ts';
import type { DialectAdapter } from '../../dialect-adapter.ts';
import { withoutCacheControl } from '../../upstream-request.ts';
import { translateStream } from '../translated-stream.ts';
import { answerToMessages } from './answer-to-messages.ts';
import { toChatMessages } from './block-messages.ts';
import { createEventTranslator } from './chunks-to-events.ts';
import { appliedEditsOf } from './context-edits.ts';
import { toChatOptions } from './messages-options.ts';

/**
 * Serves Anthropic's dialect through an endpoint that speaks OpenAI's. Fields without a counterpart there cause a
 * UnsupportedFieldsError.
 */
export function messagesOverChat(chat: ChatAdapter): DialectAdapter {
  const translated = (request: TextRequest): TextRequest => {
    const chatRequest = toChatRequest(request);
    return chat.cacheControl
      ? chatRequest
      : { ...withoutCacheControl(chatRequest), model: chatRequest.model };
  };
  return {
    defaultMaxTokens: chat.defaultMaxTokens,
    async create(request, context) {
      const answer = answerToMessages(await chat.complete(translated(request), context));
      return { ...answer, ...appliedEditsOf(request) };
    },
    async stream(request, context) {
      const chunks = await chat.stream(translated(request), context);
      const keep = (bytes: number): void => context.answer.keep(bytes);
      return translateStream(chunks, createEventTranslator(appliedEditsOf(request), keep));
    },
  };
}

/**
 * Translates a messages request to a chat request. Throws an UnsupportedFieldsError that names every field without a
 * counterpart.
 */
export function toChatRequest(request: TextRequest): TextRequest {
  const unsupported = new UnsupportedFields();
  const translated = {
    ...toChatOptions(request, unsupported),
    messages: toChatMessages(request, unsupported),
    model: request.model,
  };
  unsupported.throwIfAny();
  return translated;
}
