import { expect, test } from '@jest/globals';
import { shareReading } from '../../platform/shared-reading.ts';

const LONG_MS = 60_000;

test('one reading serves all callers within its time', async () => {
  let readings = 0;
  const read = async (): Promise<number> => (readings += 1);
  const ask = shareReading({ read, everyMs: LONG_MS, withinMs: LONG_MS, onFailure: () => {} });
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  expect(await ask()).toBe(1);
  const askAnew = shareReading({ read, everyMs: 0, withinMs: LONG_MS, onFailure: () => {} });
  expect([await askAnew(), await askAnew()]).toEqual([2, 3]);
});

test('a reading that fails or hangs is reported once and returns undefined', async () => {
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const away = new Error('away');
  const fail = shareReading({
    read: () => Promise.reject(away),
    everyMs: LONG_MS,
    withinMs: LONG_MS,
    onFailure,
  });
  expect([await fail(), await fail()]).toEqual([undefined, undefined]);
  expect(failures).toEqual([away]);
  const hang = shareReading({ read: () => new Promise(() => {}), everyMs: LONG_MS, withinMs: 1, onFailure });
  expect(await hang()).toBeUndefined();
  expect(failures).toHaveLength(2);
});
