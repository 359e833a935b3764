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

/** One answer in ready-made bytes. */
export interface CannedAnswer {
  headers: Record<string, string>;
  body: Buffer;
}

/** About 400 bytes. */
const WHOLE: CannedAnswer = toAnswer(
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

/** The same in 30 events, sent at once. */
const STREAMED: CannedAnswer = toAnswer('text/event-stream; charset=utf-8', Buffer.from(cannedEvents()));

/*
 * No JSON is parsed to find the two facts that matter: within a string of the request these quotes would be
 * escaped. A client that writes its JSON otherwise is answered the same way, more slowly.
 */
const MODEL_MARKS = [`"model":"${CANNED_MODEL}"`, `"model": "${CANNED_MODEL}"`].map((text) =>
  Buffer.from(text),
);
const FAULTS_MARK = Buffer.from('"faults"');
const STREAM_MARKS = ['"stream":true', '"stream": true'].map((text) => Buffer.from(text));

/** The ready-made answer, when the body asks for the canned model and for no fault. */
export function cannedAnswer(body: Buffer): CannedAnswer | undefined {
  if (!holdsAny(body, MODEL_MARKS) || body.includes(FAULTS_MARK)) return undefined;
  return holdsAny(body, STREAM_MARKS) ? STREAMED : WHOLE;
}

export function cannedReply(streamed: boolean): CannedAnswer {
  return streamed ? STREAMED : WHOLE;
}

function holdsAny(body: Buffer, marks: readonly Buffer[]): boolean {
  return marks.some((mark) => body.includes(mark));
}

function toAnswer(contentType: string, body: Buffer): CannedAnswer {
  return { headers: { 'content-type': contentType, 'content-length': `${body.length}` }, body };
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
