import type { MessageBody } from '../../../contract/live/messages-answer.ts';
import { operations } from '../../../contract/operations.ts';
import { defineRoute } from '../../http/route.ts';
import { EVENT_STREAM_HEADERS } from '../event-stream-headers.ts';
import { textAnswerHeaders } from '../text-answer-headers.ts';
import { toLiveCall } from '../to-live-call.ts';

export const createMessage = defineRoute(operations.createMessage, async (call, { services }) => {
  const { messages } = services;
  const betas = [...(call.body.betas ?? []), ...betasIn(call.headers['anthropic-beta'])];
  const body = betas.length === 0 ? call.body : { ...call.body, betas };
  const asked = toLiveCall({ ...call, body });
  if (body.stream === true) {
    const { events, ...facts } = await messages.stream(asked);
    const headers = { ...EVENT_STREAM_HEADERS, ...textAnswerHeaders(facts) };
    return { status: 200, headers, body: events };
  }
  const { answer, ...facts } = await messages.create(asked);
  // The upstream's answer, checked by its adapter, with the fields that the contract adds.
  return { status: 200, headers: textAnswerHeaders(facts), body: answer as MessageBody };
});

/** Returns the features in a header. Some names contain a date. */
function betasIn(header: string | undefined): string[] {
  return (header ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
