import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ProviderError } from '../../../../domain/provider-error.ts';
import type { ChatChunk, OpenAiUsage } from '../../../../providers/chat-adapter.ts';
import type { ChatBody } from '../../../../services/live/chat/chat-body.ts';
import { createChatService } from '../../../../services/live/chat/chat-service.ts';
import type { CallOutcome } from '../../../../services/routing/endpoint-health.ts';
import { createLiveScene, liveCall, trap } from '../../../support/live-scene.ts';
import { sentText } from '../../../support/sent-text.ts';

/** The service over an upstream that takes so long to begin, and whose chunks come like this. */
function serviceOver(chunks: () => AsyncIterable<ChatChunk[]>, firstByteMs = 0) {
  const chat = {
    cacheControl: false,
    complete: () => Promise.reject(new Error('not asked for')),
    async stream() {
      pass(firstByteMs);
      return chunks();
    },
  };
  const scene = createLiveScene({ chat });
  const outcomes: CallOutcome[] = [];
  const logged = Promise.withResolvers<object>();
  const service = createChatService({
    ...scene.deps,
    health: { ...scene.deps.health, record: (_endpointId, outcome) => void outcomes.push(outcome) },
    logger: { ...scene.deps.logger, error: (facts: object) => logged.resolve(facts) },
  });
  const begin = async () => {
    const call = liveCall<ChatBody>({ model: 'm/one', messages: [{ content: 'Hello' }] });
    return (await service.stream(call)).events;
  };
  return { ...scene, outcomes, begin, logged: logged.promise };
}

/** Time goes by, and nothing else happens. */
const pass = (ms: number): void => {
  jest.setSystemTime(Date.now() + ms);
};

const says = (content: string): ChatChunk => ({ choices: [{ index: 0, delta: { content } }] });
const ends = (usage: OpenAiUsage): ChatChunk => ({
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
  usage,
});
const USAGE = { prompt_tokens: 3, completion_tokens: 100 };

beforeEach(() => {
  jest.useFakeTimers({
    doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout', 'queueMicrotask'],
  });
});
afterEach(() => void jest.useRealTimers());

describe('the outcome of a stream for its endpoint', () => {
  async function outcomesAfter(answeringMs: number, failure?: ProviderError): Promise<CallOutcome[]> {
    const { begin, outcomes } = serviceOver(async function* () {
      yield [says('Hi')];
      pass(answeringMs);
      yield [ends(USAGE)];
      if (failure !== undefined) throw failure;
    }, 500);
    await sentText(await begin());
    return outcomes;
  }

  test('has the latency of the first chunk and the tokens a second from then on', async () => {
    expect(await outcomesAfter(2_000)).toStrictEqual([{ ok: true, latencyMs: 500, throughput: 50 }]);
  });

  test.each([
    [{}, 49],
    [{ throughput: 2_000 }, 50],
  ])('has the latency and %j when the answer took %d ms', async (speed, answeringMs) => {
    expect(await outcomesAfter(answeringMs)).toEqual([{ ok: true, latencyMs: 500, ...speed }]);
  });

  test.each([
    ['server_error', [{ ok: false, latencyMs: 500, throughput: 50 }]],
    ['invalid_request', []],
    ['content_policy', []],
  ] as const)('gives an error %s in mid-stream the outcome %j', async (code, expected) => {
    const failure = new ProviderError({ code, sent: true, retryable: false, publicMessage: 'No.' });
    expect(await outcomesAfter(2_000, failure)).toStrictEqual(expected);
  });
});

describe('a stream whose bill cannot be computed', () => {
  const unbillable = () => ends(trap({ prompt_tokens: 3 }, 'completion_tokens'));
  const failed = [{ status: 'failed', costNanos: 0n, usage: null, finishReason: 'error' }];

  test('ends with an error of code 500, costs nothing and reports no outcome', async () => {
    const { begin, rows, reserved, outcomes } = serviceOver(async function* () {
      yield [says('Hi'), unbillable()];
    });
    expect(await sentText(await begin())).toMatch(
      /"error":\{"code":500,"message":"internal"\}\}\n\ndata: \[DONE\]/,
    );
    expect(rows).toMatchObject(failed);
    expect(reserved()).toBe(0);
    expect(outcomes).toEqual([]);
  });

  test('enters the ledger as failed and releases its reservation after the caller left', async () => {
    const { begin, rows, reserved, logged } = serviceOver(async function* () {
      for (;;) {
        yield [unbillable()];
        await setImmediate();
      }
    });
    const reader = new PassThrough();
    reader.once('data', () => reader.destroy());
    await (await begin()).sendTo(reader);
    expect(await logged).toMatchObject({ requestId: 'r', err: { code: 'internal' } });
    expect(rows).toMatchObject(failed);
    expect(reserved()).toBe(0);
  });
});
