import { expect, test } from '@jest/globals';
import { createContentRoom } from '../../../../services/broadcast/content/content-room.ts';

const signal = new AbortController().signal;

test('callers enter in their order, and each gives back what it took once', async () => {
  const room = createContentRoom(10);
  const entered: string[] = [];
  const enter = (name: string, bytes: number) =>
    room.take(bytes, signal).then((release) => {
      entered.push(name);
      return release!;
    });
  const first = await enter('first', 6);
  const large = enter('large', 100);
  const small = enter('small', 1);
  await Promise.resolve();
  expect(entered).toEqual(['first']);
  first();
  first();
  (await large)();
  (await small)();
  expect(entered).toEqual(['first', 'large', 'small']);
});

test('a caller that stops waiting holds nobody behind it', async () => {
  const room = createContentRoom(10);
  await room.take(6, signal);
  const stop = new AbortController();
  const waiting = room.take(8, stop.signal);
  const behind = room.take(4, signal);
  stop.abort();
  expect(await waiting).toBeNull();
  expect(await behind).not.toBeNull();
  expect(await room.take(1, stop.signal)).toBeNull();
});
