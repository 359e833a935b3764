import { expect, test } from '@jest/globals';
import { KEY, keyUnder, paid, setUp } from './spending-setup.ts';

test('a refusal is recorded for an alert only when the money covers no part of the request', async () => {
  const { spending, reserveParts, refreshed } = setUp();
  const key = keyUnder([KEY]);
  (await spending.reserve(key, paid(1n))).settle(paid(0n));
  const refusalAfter = async (...parts: bigint[]): Promise<unknown> => {
    await reserveParts(key, parts.map(paid));
    await spending.refresh();
    return refreshed[0]?.refusal;
  };
  expect(await refusalAfter(0n, 101n)).toBeNull();
  expect(await refusalAfter(101n, 102n)).toMatchObject({ limit: KEY.limit });
});
