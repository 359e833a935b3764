/** Handles `POST /chat/completions`: answers a conversation, as a whole or as a stream of events. */
import type { ChatCompletionBody } from '../../contract/live/chat-completion.ts';
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';
import { EVENT_STREAM_HEADERS } from './event-stream-headers.ts';
import { textAnswerHeaders } from './text-answer-headers.ts';
import { toLiveCall } from './to-live-call.ts';

export const createChatCompletion = defineRoute(
  operations.createChatCompletion,
  async (call, { services }) => {
    const { chat } = services;
    if (call.body.stream === true) {
      const { events, ...facts } = await chat.stream(toLiveCall(call));
      const headers = { ...EVENT_STREAM_HEADERS, ...textAnswerHeaders(facts) };
      return { status: 200, headers, body: events };
    }
    const { answer, ...facts } = await chat.create(toLiveCall(call));
    // The adapter has checked the upstream's answer, and the service has added the contract's own fields.
    const body = answer as ChatCompletionBody;
    return { status: 200, headers: textAnswerHeaders(facts), body };
  },
);
