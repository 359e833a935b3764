import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { LiveModel } from '../../../domain/catalog/catalog.ts';
import type { PriceOverride } from '../../../domain/catalog/token-pricing.ts';
import type { Estimate } from '../../../services/ledger/spending/spending.ts';
import type { ChatBody } from '../../../services/live/chat/chat-body.ts';
import { createChatService } from '../../../services/live/chat/chat-service.ts';
import { createLiveScene, liveCall } from '../../support/live-scene.ts';
import { sentText } from '../../support/sent-text.ts';

const HOUR_MS = 3_600_000;
/** A Tuesday, a second before the end of the day. */
const BEFORE_MIDNIGHT = Date.parse('2026-11-24T23:59:59Z');
const USAGE = { prompt_tokens: 100, completion_tokens: 10 };

/** 100 tokens of the prompt cost a dollar each, or two under an entry. Answers are free. */
const [CHEAP, DEAR] = [100_000_000_000n, 200_000_000_000n];

beforeEach(() => {
  jest.useFakeTimers({
    now: BEFORE_MIDNIGHT,
    doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout', 'queueMicrotask'],
  });
});
afterEach(() => void jest.useRealTimers());

/** Returns the bill and the highest reserved amount of a chat whose upstream takes so long. */
async function costOf(entry: PriceOverride, lastsMs: number, stream: boolean) {
  const pass = () => jest.setSystemTime(Date.now() + lastsMs);
  const { deps, rows } = createLiveScene({
    chat: {
      cacheControl: false,
      async complete() {
        pass();
        const message = { role: 'assistant', content: 'Hi' };
        return { choices: [{ index: 0, finish_reason: 'stop', message }], usage: USAGE };
      },
      async stream() {
        return (async function* () {
          yield [{ choices: [{ index: 0, delta: { content: 'Hi' } }] }];
          pass();
          yield [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: USAGE }];
        })();
      },
    },
  });
  const [like] = deps.catalog.findLiveModel('m/one', 'chat')!.endpoints;
  const pricing = { prompt: '1', completion: '0', overrides: [entry] };
  const model = { ...deps.catalog.findLiveModel('m/one', 'chat')!, endpoints: [{ ...like, pricing }] };
  let reserved = 0n;
  const service = createChatService({
    ...deps,
    catalog: { ...deps.catalog, findLiveModel: () => model as LiveModel },
    spending: {
      ...deps.spending,
      reserve(caller, estimates: Estimate[]) {
        reserved = estimates[0]!.most!.usage;
        return deps.spending.reserve(caller, estimates);
      },
    },
  });
  const messages = [{ role: 'user', content: 'word '.repeat(50) }];
  const call = liveCall<ChatBody>({ model: 'm/one', max_tokens: 10, messages });
  if (stream) await sentText((await service.stream(call)).events);
  else await service.create(call);
  return { cost: rows[0]!.costNanos, reserved };
}

describe.each([false, true])('a chat across midnight UTC (streamed: %j)', (stream) => {
  test.each<[string, PriceOverride, number, bigint]>([
    ['the date of its start', { validFrom: '2026-11-25', prompt: '2' }, HOUR_MS, CHEAP],
    ['a date that has come', { validFrom: '2026-11-24', prompt: '2' }, HOUR_MS, DEAR],
    ['the day of its start', { utcDays: ['wednesday'], prompt: '2' }, HOUR_MS, CHEAP],
    ['the window of its start', { utcStart: 2_300, utcEnd: 0, prompt: '2' }, HOUR_MS, DEAR],
    ['the day of its end', { utcDays: ['wednesday'], utcMoment: 'end', prompt: '2' }, 2_000, DEAR],
    ['the day of its end', { utcDays: ['wednesday'], utcMoment: 'end', prompt: '2' }, 100, CHEAP],
    [
      'the window of its end',
      { utcStart: 30, utcEnd: 100, utcMoment: 'end', prompt: '2' },
      HOUR_MS / 2 + 1_000,
      DEAR,
    ],
    [
      'its first hour at most',
      { utcStart: 130, utcEnd: 200, utcMoment: 'end', prompt: '2' },
      1.6 * HOUR_MS,
      CHEAP,
    ],
  ])(
    'costs the price of %s, and never more than its reservation: %j after %i ms',
    async (_by, entry, lastsMs, expected) => {
      const { cost, reserved } = await costOf(entry, lastsMs, stream);
      expect(cost).toBe(expected);
      expect(reserved).toBeGreaterThanOrEqual(cost);
    },
  );
});
