import type { ChatCompletion } from '../../../../providers/chat-adapter.ts';
import type { DialectObject } from '../../../../providers/dialect-adapter.ts';
import { type Fields, fieldsIn, isFields, textOf } from '../fields.ts';
import { newMessage, newToolUse } from './new-message.ts';
import { toStopReason } from './stop-reason.ts';
import { toThinkingBlocks } from './thinking.ts';
import { toToolInput } from './tool-input.ts';
import { usageToMessages } from './usage.ts';

/**
 * A chat completion as Anthropic's answer. A messages request asks for one choice, and the first is told. Throws
 * ProviderError where it ended in an error.
 */
export function answerToMessages(completion: ChatCompletion): DialectObject {
  const { usage, service_tier: tier } = completion;
  const [choice] = completion.choices;
  const { message = { role: 'assistant' }, finish_reason: reason = null } = choice ?? {};
  const calls = fieldsIn(message.tool_calls).map(toToolUse);
  // The name under which vLLM tells which of the sequences it was.
  const stop = choice?.['stop_reason'];
  const stoppedBy = typeof stop === 'string' && reason === 'stop' ? stop : null;
  const { usage: _nothing, ...head } = newMessage(completion.id, completion['model']);
  return {
    ...head,
    content: [...thoughtsOf(message), ...wordsOf(message), ...calls],
    stop_reason: stoppedBy === null ? toStopReason(reason, calls.length > 0) : 'stop_sequence',
    stop_sequence: stoppedBy,
    ...(usage
      ? { usage: { ...usageToMessages(usage), ...(typeof tier === 'string' ? { service_tier: tier } : {}) } }
      : {}),
  };
}

/** Thoughts without a signature are shown all the same: only the vendor who made them could verify one. */
function thoughtsOf(message: Fields): Fields[] {
  const signed = toThinkingBlocks(message['reasoning_details']).filter((block) => block !== null);
  if (signed.length > 0) return signed;
  const text = textOf(message['reasoning']);
  return text === '' ? [] : [{ type: 'thinking', thinking: text, signature: '' }];
}

function wordsOf({ content, refusal }: Fields): Fields[] {
  const texts = Array.isArray(content)
    ? fieldsIn(content).map(({ text }) => textOf(text))
    : [textOf(content)];
  return [...texts, textOf(refusal)].flatMap((text) => (text === '' ? [] : [{ type: 'text', text }]));
}

function toToolUse({ id, function: called }: Fields): Fields {
  const { name, arguments: text } = isFields(called) ? called : {};
  return newToolUse(textOf(id), name, toToolInput(text));
}
