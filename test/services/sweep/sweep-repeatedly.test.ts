import { expect, test } from '@jest/globals';
import { createLogger } from '../../../platform/logger.ts';
import { sweepRepeatedly } from '../../../services/sweep/sweep-repeatedly.ts';
import { NOTHING_SWEPT } from '../../../services/sweep/sweep.ts';

const settings = {
  intervalMs: 1,
  limitMs: 60_000,
  forMs: 60_000,
  logger: createLogger({ level: 'fatal', name: 'test' }),
};

/** Sweeps with these outcomes, one after the other, then stops; resolves with how many sweeps began. */
async function sweeps(...outcomes: (() => Promise<number>)[]): Promise<number> {
  const stop = new AbortController();
  let sweeps = 0;
  const ended = sweepRepeatedly({
    ...settings,
    limitMs: 50,
    signal: stop.signal,
    async sweepOnce() {
      const outcome = outcomes[sweeps];
      sweeps += 1;
      if (outcome === undefined) stop.abort(new Error('stopped'));
      return { ...NOTHING_SWEPT, started: (await outcome?.()) ?? 0 };
    },
  });
  await expect(ended).rejects.toThrow('stopped');
  return sweeps;
}

test('a sweep follows one that failed', async () => {
  expect(await sweeps(() => Promise.reject(new Error('test')))).toBe(2);
});

test('a sweep follows one that hangs', async () => {
  expect(await sweeps(() => new Promise(() => undefined))).toBe(2);
});

test('a sweep that hangs receives an abort signal', async () => {
  const stop = new AbortController();
  const received = new Promise<AbortSignal>((resolve) => {
    const hang = (signal: AbortSignal): Promise<never> => {
      signal.addEventListener('abort', () => resolve(signal));
      return new Promise(() => undefined);
    };
    sweepRepeatedly({ ...settings, limitMs: 50, signal: stop.signal, sweepOnce: hang }).catch(
      () => undefined,
    );
  });
  expect((await received).aborted).toBe(true);
  stop.abort();
});

test('the wait for the next sweep ends when the signal aborts', async () => {
  const stop = new AbortController();
  const ended = sweepRepeatedly({
    ...settings,
    intervalMs: 3_600_000,
    signal: stop.signal,
    async sweepOnce() {
      setImmediate(() => stop.abort(new Error('stopped')));
      return NOTHING_SWEPT;
    },
  });
  await expect(ended).rejects.toThrow('stopped');
});

test('the report has the sums of all sweeps', async () => {
  let sweeps = 0;
  const report = await sweepRepeatedly({
    ...settings,
    forMs: 200,
    signal: new AbortController().signal,
    async sweepOnce() {
      sweeps += 1;
      if (sweeps === 1) throw new Error('test');
      return { ...NOTHING_SWEPT, started: 2, webhooks: 1 };
    },
  });
  expect(report).toEqual({
    ...NOTHING_SWEPT,
    sweeps: sweeps - 1,
    failed: 1,
    started: 2 * (sweeps - 1),
    webhooks: sweeps - 1,
  });
});

test('sweepRepeatedly ends in mid-interval when its time is over, with a last sweep', async () => {
  const report = await sweepRepeatedly({
    ...settings,
    intervalMs: 3_600_000,
    forMs: 50,
    signal: new AbortController().signal,
    sweepOnce: async () => NOTHING_SWEPT,
  });
  expect(report.sweeps).toBeGreaterThanOrEqual(2);
});
