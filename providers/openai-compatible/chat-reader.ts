/** Interprets the event stream of a chat on OpenAI's wire. */
import type { ChatChunk } from '../chat-adapter.ts';
import type { EventReader } from '../streamed-answer.ts';
import { invalidResponse } from '../transport-failure.ts';
import { inBandError } from '../vendor-error.ts';
import { errorIn, isObject, objectOf } from '../answer-checks.ts';
import { readChunk } from './chat-checks.ts';
import { TextMatcher } from './text-matcher.ts';

/**
 * Reads the chunks of one stream, which ends with `[DONE]`. A stream that ends without it is complete if every choice
 * has finished.
 */
export function createChatReader(apiKey: string | undefined): EventReader<ChatChunk> {
  let highestIndex = -1;
  let finished = 0;
  const texts = new TextMatcher();
  return {
    read({ type, data }) {
      const text = type === '' ? texts.match(data) : undefined;
      if (text !== undefined) return text;
      if (data === '[DONE]') return 'end';
      const value: unknown = JSON.parse(data);
      if (type === 'error') throw inBandError(isObject(value) ? value : { message: data }, [apiKey]);
      const chunk = readChunk(value, apiKey);
      for (const { index, finish_reason } of chunk.choices) {
        if (index > highestIndex) highestIndex = index;
        if (finish_reason !== undefined && finish_reason !== null) finished += 1;
      }
      texts.learn(data, chunk);
      return chunk;
    },
    readBody(text) {
      try {
        const error = errorIn(objectOf(JSON.parse(text)), apiKey);
        return error ?? invalidResponse(200, new Error('an answer that is no stream'));
      } catch (cause) {
        return invalidResponse(200, cause);
      }
    },
    isWhole: () => finished > 0 && finished > highestIndex,
  };
}
