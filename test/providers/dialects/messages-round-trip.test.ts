import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ChatChoice, ChatChunk, ChatCompletion, TextRequest } from '../../../providers/chat-adapter.ts';
import { answerToChat } from '../../../providers/dialects/messages/answer-to-chat.ts';
import { createEventTranslator } from '../../../providers/dialects/messages/chunks-to-events.ts';
import { createChunkTranslator } from '../../../providers/dialects/messages/events-to-chunks.ts';
import { answerToMessages, toChatRequest } from '../../../providers/dialects/messages/messages-over-chat.ts';
import { toMessagesRequest } from '../../../providers/dialects/messages/chat-over-messages.ts';
import { chatRequests, completions } from './generated-chats.ts';
import { meaningOfChat } from './meaning-of-chat.ts';
import { expectOrder } from './message-order.ts';

const RUNS = { numRuns: 200 };

describe('chat → messages → chat', () => {
  test('keeps the meaning of a request', () => {
    fc.assert(
      fc.property(chatRequests, (request) => {
        const before = structuredClone(request);
        const there = toMessagesRequest(request as TextRequest);
        const back = toChatRequest(there);
        expect(meaningOfChat(back)).toEqual(meaningOfChat(request));
        // What is sent to one endpoint is still to be sent to the next.
        expect(request).toEqual(before);
      }),
      RUNS,
    );
  });

  test('leaves a translated request unchanged in a second round', () => {
    const round = (request: TextRequest) => toMessagesRequest(toChatRequest(request));
    fc.assert(
      fc.property(chatRequests, (request) => {
        const settled = round(toMessagesRequest(request as TextRequest));
        expect(round(settled)).toEqual(settled);
      }),
      RUNS,
    );
  });

  test('puts all tool results into the message right after their calls', () => {
    fc.assert(
      fc.property(chatRequests, (request) => {
        const { messages } = toMessagesRequest(request as TextRequest) as unknown as {
          messages: {
            role: string;
            content: string | { type: string; tool_use_id?: string; id?: string }[];
          }[];
        };
        for (const [i, { role, content }] of messages.entries()) {
          const called = typeof content === 'string' || role !== 'assistant' ? [] : content.filter(isToolUse);
          if (called.length === 0) continue;
          // All results together, in the message right after the calls.
          const next = messages[i + 1]!;
          expect(next.role).toBe('user');
          expect((next.content as { tool_use_id: string }[]).map((block) => block.tool_use_id)).toEqual(
            called.map(({ id }) => id),
          );
        }
      }),
      RUNS,
    );
  });

  test("keeps a whole answer's text, calls, reasoning, counts and finish reason", () => {
    fc.assert(
      fc.property(completions, (completion) => {
        const back = answerToChat(answerToMessages(structuredClone(completion) as ChatCompletion));
        expect(withoutExtras(back)).toEqual(completion);
      }),
      RUNS,
    );
  });

  test('keeps a streamed answer, however it is cut', () => {
    fc.assert(
      fc.property(completions, fc.integer({ min: 1, max: 7 }), (completion, size) => {
        const events = translated(createEventTranslator(), chunksOf(completion as ChatCompletion, size));
        expectOrder(events);
        const back = assembled(translated(createChunkTranslator(), events));
        expect(back).toEqual(assembled(chunksOf(completion as ChatCompletion, size)));
      }),
      RUNS,
    );
  });
});

function isToolUse({ type }: { type: string }): boolean {
  return type === 'tool_use';
}

function translated<From, To>(
  { translate, end }: { translate(piece: From): To[]; end(): To[] },
  pieces: From[],
): To[] {
  return [...pieces.flatMap((piece) => translate(piece)), ...end()];
}

function withoutExtras({ choices, ...rest }: ChatCompletion): object {
  return { ...rest, choices: choices.map(withoutExtrasOfChoice) };
}

function withoutExtrasOfChoice({ message, index, finish_reason }: ChatChoice): object {
  return { index, finish_reason, message: { ...message, ...detailsOf(message['reasoning_details']) } };
}

function detailsOf(details: unknown): object {
  if (!Array.isArray(details)) return {};
  const kept = details.map(({ type, text, signature }) => ({ type, text, signature }));
  return { reasoning_details: kept };
}

/** A completion as a vendor would stream it, in pieces of so many characters. */
function chunksOf(completion: ChatCompletion, size: number): ChatChunk[] {
  const { message, finish_reason } = completion.choices[0]!;
  const chunk = (delta: object, reason: string | null = null): ChatChunk => ({
    id: completion.id!,
    choices: [{ index: 0, delta: { ...delta }, finish_reason: reason }],
  });
  const [detail] = (message['reasoning_details'] ?? []) as { text: string; signature: string }[];
  const calls = (message.tool_calls ?? []) as { id: string; function: { name: string; arguments: string } }[];
  return [
    chunk({ role: 'assistant', content: '' }),
    ...cut(detail?.text ?? '', size).map((reasoning) => chunk({ reasoning })),
    ...(detail === undefined
      ? []
      : [chunk({ reasoning_details: [{ type: 'reasoning.text', signature: detail.signature }] })]),
    ...cut((message.content ?? '') as string, size).map((content) => chunk({ content })),
    ...calls.flatMap(({ id, function: { name, arguments: text } }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...cut(text, size).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    chunk({}, finish_reason),
    { id: completion.id!, choices: [], usage: completion.usage! },
  ];
}

function cut(text: string, size: number): string[] {
  return text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
}

interface Call {
  id?: string;
  name: string;
  arguments: string;
}

/** What a caller puts together of a stream. */
function assembled(chunks: ChatChunk[]): object {
  let content = '';
  let reasoning = '';
  let signature = '';
  let reason: unknown;
  let usage: unknown;
  const calls: Call[] = [];
  for (const chunk of chunks) {
    usage = chunk.usage ?? usage;
    for (const { delta, finish_reason } of chunk.choices) {
      content += (delta.content ?? '') as string;
      reasoning += (delta['reasoning'] ?? '') as string;
      for (const detail of (delta['reasoning_details'] ?? []) as { signature?: string }[])
        signature += detail.signature ?? '';
      for (const piece of (delta.tool_calls ?? []) as {
        index: number;
        id?: string;
        function: Partial<Call>;
      }[]) {
        const call = (calls[piece.index] ??= { name: '', arguments: '' });
        call.id ??= piece.id!;
        call.name += piece.function.name ?? '';
        call.arguments += piece.function.arguments ?? '';
      }
      reason = finish_reason ?? reason;
    }
  }
  return { content, reasoning, signature, reason, usage, calls };
}
