/** Reads what the answers of Gemini's `generateContent` have in common, in chats, pictures and speech. */
import { type Fields, fieldsIn, isFields, textOf } from '../../domain/fields.ts';
import { answerOf } from '../answer-checks.ts';
import type { EventReader } from '../streamed-answer.ts';

/** Returns the path of a model's method, below the base URL. */
export function pathOf(model: string, method: string): string {
  return `models/${encodeURIComponent(model)}:${method}`;
}

/** Returns the parts of a candidate. */
export function candidateParts({ content }: Fields): Fields[] {
  return fieldsIn(isFields(content) ? content['parts'] : []);
}

/** Returns the reason for which Google refused the prompt; an empty text if it did not. */
export function promptBlockOf({ promptFeedback }: Fields): string {
  return isFields(promptFeedback) ? textOf(promptFeedback['blockReason']) : '';
}

/** Returns whether Google ends answers for this reason because of their content. */
export function refusesContent(finishReason: string): boolean {
  return /SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|LANGUAGE/.test(finishReason);
}

/** Returns the reason for which Google refused the prompt or an answer; an empty text if it did not. */
export function blockOf(answer: Fields): string {
  const ends = fieldsIn(answer['candidates']).map(({ finishReason }) => textOf(finishReason));
  return promptBlockOf(answer) || (ends.find(refusesContent) ?? '');
}

/** Interprets the events of one stream. `length` is that of an event's text. */
type Translator<T> = Pick<EventReader<T>, 'begin' | 'rest' | 'isWhole'> & {
  translate(answer: Fields, length: number): T | undefined;
};

/** Creates the reader of one stream, which ends without a final event. */
export function createReader<T>({ translate, ...own }: Translator<T>): EventReader<T> {
  return {
    ...own,
    read({ data }, secrets) {
      // Google does not send it; servers in front of it may.
      if (data === '[DONE]') return 'end';
      return translate(answerOf(JSON.parse(data), secrets), data.length);
    },
    // A picture is one event, and so is a piece of sound.
    mayBeWhole: ({ data }) => data.includes('"inlineData"'),
  };
}
