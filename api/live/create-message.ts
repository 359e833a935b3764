/** Handles `POST /messages`: answers in the shape of Anthropic's Messages API, as a whole or as a stream of events. */
import type { MessageBody } from '../../contract/live/messages-answer.ts';
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';
import { EVENT_STREAM_HEADERS } from './event-stream-headers.ts';
import { textAnswerHeaders } from './text-answer-headers.ts';
import { toLiveCall } from './to-live-call.ts';

export const createMessage = defineRoute(operations.createMessage, async (call, { services }) => {
  const { messages } = services;
  const betas = [...(call.body.betas ?? []), ...betasIn(call.headers['anthropic-beta'])];
  const body = betas.length === 0 ? call.body : { ...call.body, betas };
  const liveCall = toLiveCall({ ...call, body });
  if (body.stream === true) {
    const { events, ...facts } = await messages.stream(liveCall);
    const headers = { ...EVENT_STREAM_HEADERS, ...textAnswerHeaders(facts) };
    return { status: 200, headers, body: events };
  }
  const { answer, ...facts } = await messages.create(liveCall);
  // The adapter has checked the upstream's answer, and the service has added the contract's own fields.
  return { status: 200, headers: textAnswerHeaders(facts), body: answer as MessageBody };
});

/** Returns the features in a header. Some names contain a date. */
function betasIn(header: string | undefined): string[] {
  return (header ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
