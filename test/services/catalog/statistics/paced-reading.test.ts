import { expect, test } from '@jest/globals';
import { createPacedReading } from '../../../../services/catalog/statistics/paced-reading.ts';

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A reading that takes as long as `tookMs` says, on a clock of its own. */
function pacedReading(tookMs = 0) {
  const clock = { nowMs: 1_000_000 };
  const warnings: unknown[] = [];
  let readings = 0;
  const paced = createPacedReading(
    async () => {
      readings += 1;
      clock.nowMs += tookMs;
      if (readings === 1) throw new Error('away');
    },
    {
      intervalMs: 1_000,
      now: () => clock.nowMs,
      logger: { warn: (fact: unknown) => void warnings.push(fact) },
    },
  );
  const readingsAfter = async (passedMs: number): Promise<number> => {
    clock.nowMs += passedMs;
    paced.wake();
    await turn();
    return readings;
  };
  return { paced, readingsAfter, warnings };
}

test('a wake-up starts a reading, and another once the interval is over', async () => {
  const { readingsAfter, warnings } = pacedReading();
  expect(await readingsAfter(0)).toBe(1);
  expect(warnings).toHaveLength(1);
  expect(await readingsAfter(999)).toBe(1);
  expect(await readingsAfter(1)).toBe(2);
});

test('a reading is followed by a pause of twenty times its duration', async () => {
  const { readingsAfter } = pacedReading(100);
  expect(await readingsAfter(0)).toBe(1);
  expect(await readingsAfter(1_999)).toBe(1);
  expect(await readingsAfter(1)).toBe(2);
});

test('two readings never overlap, and none begins after close', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let readings = 0;
  const paced = createPacedReading(
    async () => {
      readings += 1;
      await held;
    },
    { intervalMs: 0, now: () => 0, logger: { warn: () => {} } },
  );
  paced.wake();
  paced.wake();
  expect(readings).toBe(1);
  release();
  await paced.close();
  paced.wake();
  expect(readings).toBe(1);
});
