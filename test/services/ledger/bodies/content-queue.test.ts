import { randomBytes } from 'node:crypto';
import { expect, jest, test } from '@jest/globals';
import type { BodyRow } from '../../../../db/broadcast/body-store.ts';
import { newGenerationId } from '../../../../domain/ids.ts';
import type { BroadcastContent } from '../../../../domain/broadcast/event.ts';
import { createEncryption } from '../../../../platform/encryption.ts';
import { openContent } from '../../../../services/ledger/bodies/sealed-content.ts';
import {
  type ContentQueueOptions,
  createContentQueue,
} from '../../../../services/ledger/bodies/content-queue.ts';

const encryption = createEncryption({ currentKeyId: 'a', keys: new Map([['a', randomBytes(32)]]) });
const CONTENT: BroadcastContent = {
  input: [{ role: 'user', content: 'the secret question' }],
  output: [{ role: 'assistant', content: 'the secret answer' }],
  outputText: 'the secret answer',
};

function queueInto(insert: ContentQueueOptions['contents']['insert']) {
  const reports: { lost: number; lostInAll: number; err: unknown }[] = [];
  const logger: ContentQueueOptions['logger'] = {
    error: ((facts: (typeof reports)[number]) =>
      void reports.push(facts)) as ContentQueueOptions['logger']['error'],
  };
  const queue = createContentQueue({ contents: { insert }, encryption, logger });
  const add = (compose = () => CONTENT): string => {
    const id = newGenerationId(Date.now());
    queue.add({ id, settledAt: new Date() }, compose);
    return id;
  };
  return { add, close: queue.close, reports };
}

test('content is stored encrypted for its generation, many rows in one statement', async () => {
  const batches: (readonly BodyRow[])[] = [];
  const { add, close, reports } = queueInto(async (rows) => void batches.push(rows));
  const ids = Array.from({ length: 50 }, () => add());
  await close();
  const rows = batches.flat();
  expect(rows.map(({ generationId }) => generationId)).toEqual(ids);
  expect(batches.length).toBeLessThan(5);
  const sealed = rows[0]!.sealed.toString('latin1');
  expect(sealed).not.toContain('secret');
  expect(rows[0]!.size).toBe(JSON.stringify(CONTENT).length);
  expect(await openContent(encryption, 'broadcast_bodies', ids[0]!, sealed)).toEqual(CONTENT);
  expect(await openContent(encryption, 'broadcast_bodies', ids[1]!, sealed)).toBeNull();
  expect(await openContent(encryption, 'broadcast_dead_letters', ids[0]!, sealed)).toBeNull();
  expect(reports).toEqual([]);
});

const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

test('all content is stored once after an outage of Postgres', async () => {
  const stored: string[] = [];
  const refused = Promise.withResolvers<void>();
  let isAway = true;
  const { add, close, reports } = queueInto(async (rows) => {
    if (isAway) {
      refused.resolve();
      throw AWAY;
    }
    stored.push(...rows.map(({ generationId }) => generationId));
  });
  const before = Array.from({ length: 40 }, () => add());
  await refused.promise;
  const during = Array.from({ length: 40 }, () => add());
  isAway = false;
  await close();
  expect(stored).toEqual([...before, ...during]);
  expect(reports).toEqual([]);
});

test('content that Postgres refuses is counted as lost without showing its text', async () => {
  const refusal = Object.assign(new Error('no'), { code: '22P02' });
  const stored: string[] = [];
  const { add, close, reports } = queueInto(async (rows) => {
    if (rows.some(({ generationId }) => generationId === refused)) throw refusal;
    stored.push(...rows.map(({ generationId }) => generationId));
  });
  // A closed queue writes the first body by itself.
  const refused = add();
  const kept = [add(), add()];
  await close();
  expect(stored).toEqual(kept);
  expect(reports).toMatchObject([{ lost: 1, lostInAll: 1, err: refusal }]);
  expect(JSON.stringify(reports)).not.toContain('secret');
});

test('a process that ends during an outage counts its waiting content as lost once', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask'] });
  const { add, close, reports } = queueInto(() => Promise.reject(AWAY));
  for (let n = 0; n < 40; n += 1) add();
  const closed = close();
  await jest.advanceTimersByTimeAsync(10_000);
  await closed;
  expect(reports).toMatchObject([{ lost: 40, lostInAll: 40 }]);
  jest.useRealTimers();
});

test('content beyond 10,000 waiting items is given up at once while Postgres hangs', async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask'] });
  const { add, close, reports } = queueInto(() => new Promise(() => {}));
  const compose = jest.fn(() => CONTENT);
  for (let n = 0; n < 10_100; n += 1) add(compose);
  expect(compose).not.toHaveBeenCalled();
  const closed = close();
  await jest.advanceTimersByTimeAsync(10_000);
  await closed;
  expect(reports.at(-1)).toMatchObject({ lostInAll: 10_100 });
  expect(compose).toHaveBeenCalledTimes(10_000);
  jest.useRealTimers();
});
