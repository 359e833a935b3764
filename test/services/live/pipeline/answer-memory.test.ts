import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../../../domain/errors.ts';
import type { EventStream } from '../../../../platform/event-stream.ts';
import { ReadyJson } from '../../../../platform/ready-json.ts';
import { AnswerAllowance, AnswerMemoryError } from '../../../../providers/answer-allowance.ts';
import type { ChatChunk, ChatCompletion } from '../../../../providers/chat-adapter.ts';
import type { DialectAdapter } from '../../../../providers/dialect-adapter.ts';
import { createChatService } from '../../../../services/live/chat/chat-service.ts';
import { messagesOverChat } from '../../../../providers/dialects/messages/messages-over-chat.ts';
import { responsesOverChat } from '../../../../providers/dialects/responses/responses-over-chat.ts';
import { runLive } from '../../../../services/live/pipeline/run-live.ts';
import type { CallOutcome } from '../../../../services/routing/endpoint-health.ts';
import { freeMemory } from '../../../support/free-answer.ts';
import { fail, operationOf, type Operation, piecesOf, streaming } from '../../../support/live-operation.ts';
import { createLiveScene, liveCall } from '../../../support/live-scene.ts';
import { sentText } from '../../../support/sent-text.ts';
import { CONTEXT, scriptedChat } from '../../../providers/dialects/scripted-chat.ts';

const MIB = 1024 ** 2;
const shortage = new AnswerMemoryError(
  new AppError('rate_limited', { reason: 'too_many', retryAfterSeconds: 5 }),
);

/** Memory that shows how much of it is held. */
function meteredMemory(isLarge = false) {
  const memory = { ...freeMemory(), isLarge, held: 0 };
  memory.add = (bytes) => (memory.held += bytes);
  return memory;
}

async function run(operation: Operation) {
  const { deps, rows } = createLiveScene({});
  const outcomes: CallOutcome[] = [];
  const health = { ...deps.health, record: (_: string, outcome: CallOutcome) => void outcomes.push(outcome) };
  const answered = runLive({ ...deps, health }, operation, liveCall({}));
  const outcome = await answered.then(
    ({ result }) => (typeof result === 'string' ? result : sentText(result)),
    (error: unknown) => error,
  );
  return { outcome, rows, outcomes };
}

describe('an answer that finds no memory', () => {
  test('ends with a 429, is billed as cancelled answers are and reports no outcome', async () => {
    const { outcome, rows, outcomes } = await run(operationOf({ ask: () => Promise.reject(shortage) }));
    expect(outcome).toMatchObject({
      code: 'rate_limited',
      options: { reason: 'too_many', retryAfterSeconds: 5 },
    });
    expect(rows).toMatchObject([{ status: 'failed', costNanos: 10_000_000n }]);
    expect(outcomes).toEqual([]);
  });

  test.each([
    ['what arrived', false, 8_000_000n],
    ['the whole work that its upstream finishes', true, 10_000_000n],
  ])('ends a stream with the error, and %s is billed', async (_, isUnderWay, costNanos) => {
    async function* parts() {
      yield ['Hello'];
      throw shortage;
    }
    const { outcome, rows, outcomes } = await run(
      streaming({ parts: parts(), isUnderWay: () => isUnderWay }),
    );
    expect(outcome).toBe('Hello rate_limited');
    expect(rows).toMatchObject([{ status: 'failed', costNanos }]);
    expect(outcomes).toEqual([]);
  });
});

describe('a large whole answer', () => {
  const answer = (): ChatCompletion => ({
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello' } }],
  });

  async function answered(isLarge: boolean, record = async () => {}) {
    const given = answer();
    const chat = { cacheControl: false, complete: async () => given, stream: fail };
    const { deps } = createLiveScene({ chat });
    const service = createChatService({ ...deps, ledger: { ...deps.ledger, record } });
    const body = { model: 'm/one', messages: [{ content: 'Hi' }] };
    const call = { ...liveCall(body), answer: meteredMemory(isLarge) };
    return { given, shown: service.create(call).then((outcome) => outcome.answer) };
  }

  test('becomes JSON before its row is written, with the content of any other answer', async () => {
    let change = (): void => {};
    const { given, shown } = await answered(true, async () => change());
    // Objects that are still in use would show this.
    change = () => (given.choices[0]!.message.content = 'changed');
    const json = await shown;
    expect(json).toBeInstanceOf(ReadyJson);
    const text = Buffer.concat((json as ReadyJson).pieces as Buffer[]).toString();
    const { shown: small } = await answered(false);
    const { id: _, created: __, ...rest } = JSON.parse(text) as ChatCompletion;
    expect(await small).toMatchObject(rest);
    expect(rest.choices[0]!.message.content).toBe('Hello');
  });
});

test('a large piece of a stream counts until its reader has taken it', async () => {
  const memory = meteredMemory();
  const { deps } = createLiveScene({});
  const operation = streaming({ parts: piecesOf(['small', 'x'.repeat(200_000), 'small']) });
  const { result } = await runLive(deps, operation, { ...liveCall({}), answer: memory });
  let takeOn = (): void => {};
  const reader = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, taken) => void (takeOn = taken),
  });
  const sending = (result as EventStream).sendTo(reader);
  const held: number[] = [];
  for (let isOver = false; !isOver;) {
    await setImmediate();
    held.push(memory.held);
    const taken = takeOn;
    // The next piece may not have come when this turn is over.
    takeOn = () => {};
    taken();
    isOver = reader.writableFinished;
  }
  await sending;
  expect([Math.max(...held), held.at(-1)]).toEqual([200_000, 0]);
});

describe('the memory of a translated stream', () => {
  const says = (content: string): object => ({ choices: [{ index: 0, delta: { content } }] });
  const calls = (index: number, text: string): object => ({
    choices: [{ index: 0, delta: { tool_calls: [{ index, function: { name: 'f', arguments: text } }] } }],
  });

  async function kept(adapterOf: (chat: never) => DialectAdapter, chunks: object[]) {
    const memory = meteredMemory();
    const { adapter } = scriptedChat({ chunks: chunks.map((chunk) => [chunk]) });
    const context = { ...CONTEXT, answer: new AnswerAllowance(memory, false) };
    const request = { model: 'm', input: 'x', messages: [], max_tokens: 1 };
    const stream = await adapterOf(adapter as never).stream(request, context);
    let events = 0;
    for await (const arrived of stream) events += arrived.length;
    return { held: memory.held, events };
  }

  test('counts the text of a response and the pieces of tool calls', async () => {
    const text = await kept(responsesOverChat, [says('x'.repeat(1_000)), says('y'.repeat(2_000))]);
    expect(text.held).toBe(3_000);
    for (const adapter of [responsesOverChat, messagesOverChat]) {
      const { held } = await kept(adapter, [calls(0, 'x'.repeat(500)), calls(1, 'y'.repeat(500))]);
      expect(held).toBeGreaterThan(1_000);
    }
  });

  test.each([
    ['response', responsesOverChat, says('x'.repeat(MIB))],
    ['message', messagesOverChat, calls(0, 'x'.repeat(MIB))],
  ])("ends a %s with invalid_response beyond the largest answer's size", async (_, adapter, chunk) => {
    const chunks = Array.from({ length: 17 }, () => structuredClone(chunk) as ChatChunk);
    await expect(kept(adapter, chunks)).rejects.toMatchObject({ code: 'invalid_response' });
  });
});
