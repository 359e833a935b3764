import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createSumming, type Summing } from '../../../services/ledger/summing.ts';

const logger = { info: jest.fn(), warn: jest.fn() };
const sum = jest.fn<() => Promise<number>>();
const close = jest.fn<() => Promise<void>>();
let summing: Summing;

beforeEach(() => {
  jest.useFakeTimers();
  jest.resetAllMocks();
  sum.mockResolvedValue(0);
  close.mockResolvedValue();
  summing = createSumming({ connection: { sum, close }, logger });
});
afterEach(async () => {
  await summing.close();
  jest.useRealTimers();
});

describe('the sums of generations', () => {
  test('follow every quarter of a second while there are new rows, and once a second otherwise', async () => {
    for (let n = 0; n < 4; n += 1) {
      summing.noteWritten();
      await jest.advanceTimersByTimeAsync(250);
    }
    expect(sum).toHaveBeenCalledTimes(4);
    await jest.advanceTimersByTimeAsync(4_000);
    expect(sum).toHaveBeenCalledTimes(8);
  });

  test('stop being current after five seconds of failures, which are logged once', async () => {
    sum.mockRejectedValue(new Error('no connection'));
    await jest.advanceTimersByTimeAsync(4_900);
    expect(summing.isCurrent()).toBe(true);
    await jest.advanceTimersByTimeAsync(200);
    expect(summing.isCurrent()).toBe(false);
    expect(logger.warn).toHaveBeenCalledTimes(1);
    sum.mockResolvedValue(0);
    await jest.advanceTimersByTimeAsync(250);
    expect([summing.isCurrent(), logger.info.mock.calls.length]).toEqual([true, 1]);
  });

  test('follow a last time when the process ends, for new rows', async () => {
    await jest.advanceTimersByTimeAsync(250);
    summing.noteWritten();
    await summing.close();
    expect([sum.mock.calls.length, close.mock.calls.length]).toEqual([1, 1]);
  });
});
