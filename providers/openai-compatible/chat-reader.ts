/** Interprets the event stream of a chat on OpenAI's wire. */
import type { ChatChunk } from '../chat-adapter.ts';
import type { EventReader } from '../streamed-answer.ts';
import { answerOf, dropLongFacts } from '../answer-checks.ts';
import type { NoteRepair } from '../repairs.ts';
import { readChunk } from './chat-checks.ts';
import { ChatStreamRepair } from './repair/chat-stream.ts';
import { TextMatcher } from './text-matcher.ts';

/**
 * Reads the chunks of one stream, which ends with `[DONE]`. A stream that ends without it is complete if every choice
 * has finished.
 */
export function createChatReader(note: NoteRepair, keepsFunctionCall = false): EventReader<ChatChunk> {
  const repair = new ChatStreamRepair(note);
  const texts = new TextMatcher();
  return {
    read({ type, data }, secrets) {
      const text = type === '' ? texts.match(data) : undefined;
      if (text !== undefined) {
        repair.sawText();
        return text;
      }
      if (data === '[DONE]') return 'end';
      const chunk = readChunk(answerOf(JSON.parse(data), secrets), note, keepsFunctionCall);
      dropLongFacts(data.length, chunk, ['id', 'service_tier', 'usage']);
      for (const choice of chunk.choices) dropLongFacts(data.length, choice, ['finish_reason']);
      texts.learn(data, chunk);
      repair.repair(chunk);
      return chunk;
    },
    rest: () => repair.rest(),
    isWhole: () => repair.isWhole,
  };
}
