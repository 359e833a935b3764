/** Provides chat answers that are computed once, for benchmarks of the gateway. */
import { type CannedAnswer, createCannedAnswers, IF_STREAMED, toCannedAnswer } from '../canned-answer.ts';
import { jsonReply } from '../reply.ts';
import { toEvent } from '../server-sent-event.ts';
import { SYSTEM_FINGERPRINT } from './present-chat.ts';

export const CANNED_MODEL = 'chat-canned';

const CONTENT =
  'This answer is the same for every question. It costs this server next to nothing, so that a benchmark ' +
  'measures what lies before it.';
const COMPLETION_TOKENS = 28;
const USAGE = { prompt_tokens: 12, completion_tokens: COMPLETION_TOKENS, total_tokens: 40 };
const HEAD = {
  id: 'chatcmpl-canned',
  created: 0,
  model: CANNED_MODEL,
  system_fingerprint: SYSTEM_FINGERPRINT,
};

/** An answer of about 400 bytes. */
const WHOLE: CannedAnswer = toCannedAnswer(
  'application/json',
  Buffer.from(
    jsonReply(200, {
      ...HEAD,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: CONTENT }, finish_reason: 'stop' }],
      usage: USAGE,
    }).body as Uint8Array,
  ),
);

/** An answer in 30 events, sent at once. */
const STREAMED: CannedAnswer = toCannedAnswer(
  'text/event-stream; charset=utf-8',
  Buffer.from(cannedEvents()),
);

export const CANNED_CHAT = createCannedAnswers('chat', CANNED_MODEL, {
  usual: WHOLE,
  marks: IF_STREAMED,
  marked: STREAMED,
});

export function cannedReply(streamed: boolean): CannedAnswer {
  return streamed ? STREAMED : WHOLE;
}

function cannedEvents(): string {
  const chunk = (delta: object, finishReason: string | null = null) => ({
    ...HEAD,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
  const words = CONTENT.match(/\s*\S+/g) ?? [];
  return [
    chunk({ role: 'assistant', content: '' }),
    ...words.map((content) => chunk({ content })),
    chunk({}, 'stop'),
    { ...HEAD, object: 'chat.completion.chunk', choices: [], usage: USAGE },
  ]
    .map(toEvent)
    .concat(toEvent('[DONE]'))
    .join('');
}
