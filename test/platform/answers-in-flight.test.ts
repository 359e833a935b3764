import { EventEmitter } from 'node:events';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createAnswersInFlight } from '../../platform/answers-in-flight.ts';
import { NO_METRICS } from '../../platform/metrics.ts';
import { eventually } from '../support/eventually.ts';

const KIB = 1024;
const MIB = KIB ** 2;
const LIMITS = { maxTextBytes: 16 * MIB, maxEventBytes: MIB, maxMediaBytes: 64 * MIB };

class Response extends EventEmitter {
  destroyed = false;

  close(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

const responses: Response[] = [];
afterEach(() => responses.splice(0).forEach((response) => response.close()));

/** Memory of which an organization has 256 KiB and a key 128 KiB. */
function room({ waitMs = 60_000 } = {}) {
  const refused: string[] = [];
  const counter = () => (labels: object) => () => void refused.push(JSON.stringify(labels));
  const metrics = { ...NO_METRICS, counter };
  const answers = createAnswersInFlight({ memoryBytes: MIB, metrics, waitMs, ...LIMITS });
  const open = (keyId = 1, organizationId = 'o') => {
    const response = new Response();
    responses.push(response);
    const answer = answers.open({ keyId, organizationId }, response);
    return {
      answer,
      response,
      add: (kib: number) => answer.add(kib * KIB),
      close: () => response.close(),
    };
  };
  return { open, refused: () => refused };
}

type Opened = ReturnType<ReturnType<typeof room>['open']>;

/** Whether a promise has resolved. */
function settled(promise: Promise<void> | undefined): () => boolean {
  let isSettled = promise === undefined;
  promise?.then(() => (isSettled = true)).catch(() => {});
  return () => isSettled;
}

const becomes = (isSettled: () => boolean) => eventually('room', async () => isSettled() || undefined);

describe('the memory for answers', () => {
  test('does not count small answers', () => {
    const { open } = room();
    const small = Array.from({ length: 100 }, () => open());
    for (const { add } of small) add(64);
    for (const { answer } of small) expect([answer.isLarge, answer.room()]).toEqual([false, undefined]);
  });

  test("delays an answer about to become large while its key's share is used up", () => {
    const { open } = room();
    open().add(128);
    open().add(65);
    const small = open();
    small.add(10);
    expect(small.answer.room(54 * KIB)).toBeUndefined();
    // The first answer that asks may go on although the share is used up.
    expect(small.answer.room(55 * KIB)).toBeUndefined();
    const next = open();
    expect(settled(next.answer.room(65 * KIB))()).toBe(false);
    expect(open(2).answer.room(65 * KIB)).toBeUndefined();
  });

  test('lets the answers of a used-up share continue one by one', async () => {
    const { open } = room();
    const [first, second, third] = [open(), open(), open()];
    for (const { add } of [first, second, third]) add(70);
    expect(first.answer.room()).toBeUndefined();
    const waits = [second, third].map(({ answer }) => settled(answer.room()));
    first.add(500);
    expect(first.answer.room()).toBeUndefined();
    expect(waits.map((wait) => wait())).toEqual([false, false]);
    first.close();
    await becomes(waits[0]!);
    second.close();
    await becomes(waits[1]!);
  });

  test.each<[string, (holder: Opened) => void]>([
    ['gives bytes back', (holder) => holder.add(-100)],
    ['is sent or left', (holder) => holder.close()],
  ])('lets an answer continue when another one %s', async (_, release) => {
    const { open } = room();
    const [holder, another, waiting] = [open(), open(), open()];
    holder.add(110);
    another.add(70);
    void another.answer.room();
    waiting.add(65);
    const wait = settled(waiting.answer.room());
    release(holder);
    another.close();
    await becomes(wait);
  });

  test("divides an organization's share so that no key has more than half", async () => {
    const { open } = room();
    const holders = [1, 1, 2, 2].map((key) => open(key));
    for (const { add } of holders) add(65);
    expect(open(3).answer.room(65 * KIB)).toBeUndefined();
    const late = open(4);
    late.add(65);
    expect(settled(late.answer.room())()).toBe(false);
    const foreign = open(5, 'another');
    foreign.add(65);
    expect(foreign.answer.room()).toBeUndefined();
  });

  test('answers 429 to new requests while answers of their key or organization wait', () => {
    const { open } = room();
    for (let n = 0; n < 3; n += 1) open().add(65);
    void open().answer.room(65 * KIB);
    void open().answer.room(65 * KIB);
    const refusal = { code: 'rate_limited', options: expect.objectContaining({ retryAfterSeconds: 5 }) };
    expect(() => open()).toThrow(expect.objectContaining(refusal));
    expect(() => open(2)).not.toThrow();
    expect(() => open(1, 'another')).toThrow();
  });

  test.each([
    ['key', [1, 1, 1, 1], 'o', 'rate_limited', 'too_many_answer_bytes_of_key'],
    ['organization', [1, 1, 2, 2, 3], 'o', 'rate_limited', 'too_many_answer_bytes_of_organization'],
    ['process', [1, 2, 3, 4], 'each', 'unavailable', 'too_many_answer_bytes'],
  ])(
    'refuses an answer that waited too long for the share of the %s',
    async (scope, keys, owner, code, reason) => {
      const { open, refused } = room({ waitMs: 1 });
      const hasOwn = owner === 'each';
      for (const key of keys) open(key, hasOwn ? `o${key}` : 'o').add(hasOwn ? 256 : 65);
      const [first, late] = [9, 10].map((key) => open(scope === 'key' ? 1 : key, hasOwn ? `o${key}` : 'o'));
      for (const { add } of [first!, late!]) add(65);
      expect(first!.answer.room()).toBeUndefined();
      await expect(late!.answer.room()).rejects.toMatchObject({ code, options: { reason } });
      expect(refused()).toEqual([JSON.stringify({ scope })]);
    },
  );

  test('stops delaying an answer whose caller has left', async () => {
    const { open } = room();
    const [first, second] = [open(), open()];
    for (const { add } of [first, second]) add(100);
    void first.answer.room();
    const wait = settled(second.answer.room());
    second.close();
    await becomes(wait);
    second.add(1_000);
    expect(second.answer.room()).toBeUndefined();
  });

  test('becomes free when all answers have ended, however they were counted', () => {
    const { open } = room();
    const all = Array.from({ length: 20 }, (_, n) => open(n % 3));
    for (const [n, { add }] of all.entries()) for (let more = 0; more <= n; more += 1) add(10 * more);
    for (const { add } of all.slice(0, 10)) add(-5);
    for (const { close } of all) close();
    const next = open();
    next.add(127);
    expect(next.answer.room()).toBeUndefined();
    const another = open();
    another.add(65);
    // The share is used up again, so that one answer of two may go on.
    expect([another.answer.room(), settled(next.answer.room())()]).toEqual([undefined, false]);
  });

  test('ignores a response that has already closed', () => {
    const { open } = room();
    const late = open();
    late.response.destroyed = true;
    late.add(1_000);
    const next = open();
    next.add(100);
    expect(next.answer.room()).toBeUndefined();
    open().add(65);
    expect(next.answer.room()).toBeUndefined();
  });
});
