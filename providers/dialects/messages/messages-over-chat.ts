import { UnsupportedFields } from '../../../domain/unsupported-fields.ts';
import type { ChatAdapter, ChatCompletion, TextRequest } from '../../chat-adapter.ts';
import type { DialectAdapter, DialectObject } from '../../dialect-adapter.ts';
import { withoutCacheControl } from '../../upstream-request.ts';
import { translateStream } from '../translated-stream.ts';
import { toChatMessages } from './block-messages.ts';
import { createEventTranslator } from './chunks-to-events.ts';
import { appliedEditsOf } from './context-edits.ts';
import { toChatOptions } from './messages-options.ts';
import { type Fields, fieldsIn, isFields, textOf } from '../../../domain/fields.ts';
import { newMessage, newToolUse } from './new-message.ts';
import { toStopReason } from './stop-reason.ts';
import { toThinkingBlocks } from './thinking.ts';
import { toToolInput } from './tool-input.ts';
import { usageToMessages } from './usage.ts';

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

/**
 * Translates a chat completion to a whole Anthropic answer. Uses the first choice, because a messages request asks for
 * one answer. Throws ProviderError for an answer with finish reason `error`.
 */
export function answerToMessages(completion: ChatCompletion): DialectObject {
  const { usage, service_tier: tier } = completion;
  const [choice] = completion.choices;
  const { message = { role: 'assistant' }, finish_reason: reason = null } = choice ?? {};
  const calls = fieldsIn(message.tool_calls).map(toToolUse);
  // vLLM names the matched stop sequence in this field.
  const stop = choice?.['stop_reason'];
  const stoppedBy = typeof stop === 'string' && reason === 'stop' ? stop : null;
  const { usage: _nothing, ...head } = newMessage(completion.id, completion['model']);
  return {
    ...head,
    content: [...reasoningBlocksOf(message), ...textBlocksOf(message), ...calls],
    stop_reason: stoppedBy === null ? toStopReason(reason, calls.length > 0) : 'stop_sequence',
    stop_sequence: stoppedBy,
    ...(usage
      ? { usage: { ...usageToMessages(usage), ...(typeof tier === 'string' ? { service_tier: tier } : {}) } }
      : {}),
  };
}

/**
 * Returns the reasoning as thinking blocks. Keeps unsigned ones, because only the vendor that made them could verify a
 * signature.
 */
function reasoningBlocksOf(message: Fields): Fields[] {
  const signed = toThinkingBlocks(message['reasoning_details']).filter((block) => block !== null);
  if (signed.length > 0) return signed;
  const text = textOf(message['reasoning']);
  return text === '' ? [] : [{ type: 'thinking', thinking: text, signature: '' }];
}

function textBlocksOf({ content, refusal }: Fields): Fields[] {
  const texts = Array.isArray(content)
    ? fieldsIn(content).map(({ text }) => textOf(text))
    : [textOf(content)];
  return [...texts, textOf(refusal)].flatMap((text) => (text === '' ? [] : [{ type: 'text', text }]));
}

function toToolUse({ id, function: called }: Fields): Fields {
  const { name, arguments: text } = isFields(called) ? called : {};
  return newToolUse(textOf(id), name, toToolInput(text));
}
