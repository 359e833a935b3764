import type { ChatChunk, ChatCompletion } from '../../../providers/chat-adapter.ts';
import { type Fields, fieldsIn, textOf } from '../../../domain/fields.ts';

/** Returns a chat's whole answer as the answer of completions. */
export function toCompletion({ choices, ...rest }: ChatCompletion): Fields {
  return {
    ...rest,
    object: 'text_completion',
    choices: choices.map(({ message, ...choice }) => toChoice(message, choice)),
  };
}

/** Returns a chunk of a chat as one of completions, which has the same form as a whole answer. */
export function toCompletionChunk({ choices, ...rest }: ChatChunk): Fields {
  return { ...rest, choices: choices.map(({ delta, ...choice }) => toChoice(delta, choice)) };
}

function toChoice({ content, refusal, reasoning }: Fields, { index, ...ending }: Fields): Fields {
  const { finish_reason: reason = null, native_finish_reason: native } = ending;
  return {
    text: textIn(content) + textOf(refusal),
    index,
    logprobs: null,
    finish_reason: reason,
    ...(native === undefined ? {} : { native_finish_reason: native }),
    ...(textOf(reasoning) === '' ? {} : { reasoning }),
  };
}

function textIn(content: unknown): string {
  if (!Array.isArray(content)) return textOf(content);
  return fieldsIn(content)
    .map(({ text }) => textOf(text))
    .join('');
}
