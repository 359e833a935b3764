import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { responsesOverChat } from '../../../providers/dialects/responses/responses-over-chat.ts';
import { auditEvents, type ResponseEvent, type ShownResponse } from '../../support/response-events.ts';
import { type Answer, toChunks, toItem, type Turn, turns } from './responses-conversations.ts';
import { CONTEXT, scriptedChat } from './scripted-chat.ts';

type Json = Record<string, unknown>;
/** Answers one request, and says what the chat was asked. */
type Play = (input: Json[], answer: Answer) => Promise<{ response: ShownResponse; messages: Json[] }>;

const whole: Play = async (input, { message, finishReason }) => {
  const { adapter, asked } = scriptedChat({
    answer: { choices: [{ index: 0, message, finish_reason: finishReason }] },
  });
  const response = await responsesOverChat(adapter).create({ model: 'm', input }, CONTEXT);
  return { response: response as unknown as ShownResponse, messages: asked[0]!['messages'] as Json[] };
};

function streamed(size: number): Play {
  return async (input, answer) => {
    const { adapter, asked } = scriptedChat({ chunks: toChunks(answer, size).map((chunk) => [chunk]) });
    const events: ResponseEvent[] = [];
    const stream = await responsesOverChat(adapter).stream({ model: 'm', input }, CONTEXT);
    for await (const batch of stream) events.push(...(batch as ResponseEvent[]));
    auditEvents(events);
    return { response: events.at(-1)!.response!, messages: asked[0]!['messages'] as Json[] };
  };
}

const STATUS = {
  stop: null,
  tool_calls: null,
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};

/** Plays a conversation turn by turn: what comes back is sent with what is said next, as a client does. */
async function played(conversation: Turn[], play: Play): Promise<{ told: Json[]; expected: Json[] }> {
  const input: Json[] = [];
  const expected: Json[] = [];
  for (const { said, answer, results } of conversation) {
    input.push(...said.map(toItem));
    expected.push(...said);
    const { response, messages } = await play(input, answer);
    expect(messages.map(withoutMadeIds)).toEqual(expected.map(withoutMadeIds));
    const reason = STATUS[answer.finishReason];
    expect(response.status).toBe(reason === null ? 'completed' : 'incomplete');
    expect(response.incomplete_details).toEqual(reason === null ? null : { reason });
    input.push(...response.output, ...results.map(toItem));
    expected.push(answer.message, ...results);
  }
  const { messages } = await play(input, conversation[0]!.answer);
  return { told: messages.map(withoutMadeIds), expected: expected.map(withoutMadeIds) };
}

/** A sealed thought gets the id of its item. */
function withoutMadeIds(message: Json): Json {
  const details = message['reasoning_details'] as Json[] | undefined;
  if (details === undefined) return message;
  return { ...message, reasoning_details: details.map(({ id: _id, ...detail }) => detail) };
}

describe('a conversation of chat that passes through responses', () => {
  test('keeps the meaning of every answer', async () => {
    await fc.assert(
      fc.asyncProperty(turns, async (conversation) => {
        const { told, expected } = await played(conversation, whole);
        expect(told).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });

  test('keeps the meaning of streamed answers in any pieces, with valid events', async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.integer({ min: 1, max: 9 }), async (conversation, size) => {
        const { told, expected } = await played(conversation, streamed(size));
        expect(told).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });
});
