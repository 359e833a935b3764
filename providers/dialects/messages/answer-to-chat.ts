import type { ChatCompletion } from '../../chat-adapter.ts';
import type { DialectObject } from '../../dialect-adapter.ts';
import { type Fields, fieldsIn, isFields, textOf } from '../../../domain/fields.ts';
import { toFinishReason } from './stop-reason.ts';
import { toReasoning } from './thinking.ts';
import { toToolArguments } from './tool-input.ts';
import { usageToChat } from './usage.ts';

/** Translates a whole Anthropic answer to a chat completion. */
export function answerToChat(answer: DialectObject): ChatCompletion {
  const { id, model, usage, stop_reason: stopReason } = answer;
  const translated: ChatCompletion = {
    ...(typeof id === 'string' ? { id } : {}),
    object: 'chat.completion',
    model,
    choices: [{ index: 0, ...finishOf(stopReason), message: messageOf(fieldsIn(answer['content'])) }],
  };
  if (!isFields(usage)) return translated;
  translated.usage = usageToChat(usage);
  if (typeof usage['service_tier'] === 'string') translated.service_tier = usage['service_tier'];
  return translated;
}

/** Returns the finish reason of a chat together with the provider's own stop reason. */
export function finishOf(stopReason: unknown): {
  finish_reason: string | null;
  native_finish_reason?: string;
} {
  if (typeof stopReason !== 'string') return { finish_reason: null };
  return { finish_reason: toFinishReason(stopReason), native_finish_reason: stopReason };
}

function messageOf(blocks: readonly Fields[]): ChatCompletion['choices'][number]['message'] {
  const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => textOf(text));
  const thoughts = blocks.filter(({ type }) => type === 'thinking' || type === 'redacted_thinking');
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(toToolCall);
  return {
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join(''),
    ...toReasoning(thoughts),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function toToolCall({ id, name, input }: Fields): Fields {
  return { id, type: 'function', function: { name, arguments: toToolArguments(input) } };
}
