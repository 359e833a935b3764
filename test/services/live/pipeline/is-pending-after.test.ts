import { expect, test } from '@jest/globals';
import { isPendingAfter } from '../../../../services/live/pipeline/early-headers.ts';

const LONG_MS = 1_000_000;

test('a promise that resolves or rejects in time is not pending', async () => {
  expect(await isPendingAfter(Promise.resolve(), LONG_MS)).toBe(false);
  expect(await isPendingAfter(Promise.reject(new Error('no')), LONG_MS)).toBe(false);
});

test('a promise that does not settle in time is pending', async () => {
  expect(await isPendingAfter(new Promise(() => {}), 1)).toBe(true);
});

test('ten settled promises leave no timer behind', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  for (let n = 0; n < 10; n += 1) await isPendingAfter(Promise.resolve(), LONG_MS);
  expect(timers()).toBeLessThan(before + 10);
});
