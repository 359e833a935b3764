import { describe, expect, test } from '@jest/globals';
import { createContentRoom } from '../../../../services/broadcast/content/content-room.ts';

const signal = new AbortController().signal;

test('callers enter in order, and a second release of one has no effect', async () => {
  const room = createContentRoom(10);
  const entered: string[] = [];
  const enter = (name: string, bytes: number) =>
    room.take(bytes, name, signal).then((release) => {
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

test('a caller that aborts leaves the queue and lets the next one enter', async () => {
  const room = createContentRoom(10);
  await room.take(6, 'a', signal);
  const stop = new AbortController();
  const waiting = room.take(8, 'b', stop.signal);
  const behind = room.take(4, 'c', signal);
  stop.abort();
  expect(await waiting).toBeNull();
  expect(await behind).not.toBeNull();
  expect(await room.take(1, 'd', stop.signal)).toBeNull();
});

describe('an organization at its quarter of the content room', () => {
  test('queues for its own callers to leave while other organizations enter', async () => {
    const room = createContentRoom(40);
    const first = await room.take(6, 'slow', signal);
    let hasEntered = false;
    const second = room.take(6, 'slow', signal).then((release) => {
      hasEntered = true;
      return release;
    });
    const small = room.take(1, 'slow', signal).then(() => hasEntered);
    expect(await room.take(10, 'other', signal)).not.toBeNull();
    expect(hasEntered).toBe(false);
    first!();
    expect(await second).not.toBeNull();
    expect(await small).toBe(true);
  });

  test('takes more than a quarter at once when it holds nothing else', async () => {
    const room = createContentRoom(40);
    const large = await room.take(30, 'large', signal);
    const stop = new AbortController();
    const more = room.take(1, 'large', stop.signal);
    expect(await room.take(10, 'other', signal)).not.toBeNull();
    stop.abort();
    expect(await more).toBeNull();
    large!();
    expect(await room.take(30, 'large', signal)).not.toBeNull();
  });
});
