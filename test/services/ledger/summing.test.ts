import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { LedgerConnection } from '../../../db/ledger/ledger-connection.ts';
import { createSumming, type Summing } from '../../../services/ledger/summing.ts';

const logger = { info: jest.fn(), warn: jest.fn() };
const sum = jest.fn<LedgerConnection['sum']>();
const NONE = { moved: 0, hasMore: false };
const close = jest.fn<() => Promise<void>>();
let summing: Summing;

beforeEach(() => {
  jest.useFakeTimers();
  jest.resetAllMocks();
  sum.mockResolvedValue(NONE);
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
      summing.noteWritten(1);
      await jest.advanceTimersByTimeAsync(250);
    }
    expect(sum).toHaveBeenCalledTimes(4);
    await jest.advanceTimersByTimeAsync(4_000);
    expect(sum).toHaveBeenCalledTimes(8);
  });

  test('stay current while they fail until 10,000 rows wait; the failure is logged once', async () => {
    sum.mockRejectedValue(new Error('no connection'));
    summing.noteWritten(10_000);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(summing.isCurrent()).toBe(true);
    summing.noteWritten(1);
    expect(summing.isCurrent()).toBe(false);
    expect(logger.warn).toHaveBeenCalledTimes(1);
    sum.mockImplementation(async () => {
      summing.noteWritten(3);
      return NONE;
    });
    await jest.advanceTimersByTimeAsync(250);
    expect([summing.isCurrent(), logger.info.mock.calls.length]).toEqual([true, 1]);
    summing.noteWritten(9_997);
    expect(summing.isCurrent()).toBe(true);
    summing.noteWritten(1);
    expect(summing.isCurrent()).toBe(false);
  });

  test('follow a last time when the process ends, for new rows', async () => {
    await jest.advanceTimersByTimeAsync(250);
    summing.noteWritten(1);
    await summing.close();
    expect([sum.mock.calls.length, close.mock.calls.length]).toEqual([1, 1]);
  });

  test('follow at once while more rows wait, and stop after a statement when the process ends', async () => {
    sum.mockResolvedValueOnce({ moved: 10_000, hasMore: true });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(sum).toHaveBeenCalledTimes(2);
    const running = Promise.withResolvers<{ moved: number; hasMore: boolean }>();
    sum.mockReturnValueOnce(running.promise);
    await jest.advanceTimersByTimeAsync(1_000);
    const closed = summing.close();
    running.resolve({ moved: 10_000, hasMore: true });
    await closed;
    expect(sum).toHaveBeenCalledTimes(3);
  });

  test('try half as many rows after each failure, down to those of a batch, until none are left', async () => {
    sum.mockRejectedValue(new Error('the statement took too long'));
    await jest.advanceTimersByTimeAsync(1_000 + 6 * 250);
    sum.mockResolvedValueOnce({ moved: 500, hasMore: true }).mockResolvedValue(NONE);
    await jest.advanceTimersByTimeAsync(250);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(sum.mock.calls.flat()).toEqual([10_000, 5_000, 2_500, 1_250, 625, 500, 500, 500, 500, 10_000]);
  });
});
