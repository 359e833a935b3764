import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { runClosed } from '../support/runs.ts';
import {
  createSweepProbe,
  handleOf,
  openRuns,
  SWEEPING_ENV,
  SWEEPING_TIMES,
  type SweepingRun,
  sweepingRun,
  sweepingSchedule,
  type SweepProbe,
} from '../support/sweeping.ts';

/** What is an hour in production. */
const SWEEP_RUN_MS = 6_000;

describe('a run of the sweep whose hour ends', () => {
  let gateway: Gateway;

  beforeAll(async () => {
    // The worker triggers nothing within the test: the schedule alone starts the runs.
    const times = { ...SWEEPING_TIMES, setupIntervalMs: 3_600_000, sweepRunMs: SWEEP_RUN_MS };
    gateway = await startGateway({ worker: ['maintenance'], env: SWEEPING_ENV, times });
  });

  afterAll(() => gateway.close());

  test('leaves the sweep to the run that fell due meanwhile', async () => {
    const actions = await eventually('four runs', async () => {
      const { recentActions } = (await sweepingSchedule(gateway).describe()).info;
      return recentActions.length >= 4 ? recentActions : undefined;
    });
    const runs = actions.map(({ action, scheduledAt }) => ({ scheduledAt, ...action.workflow }));
    for (const [index, { scheduledAt }] of runs.slice(1, 4).entries()) {
      const { workflowId, firstExecutionRunId: runId } = runs[index]!;
      const before = handleOf(gateway, { workflowId, runId });
      expect(await before.result()).toMatchObject({ failed: 0 });
      expect(((await before.result()) as { sweeps: number }).sweeps).toBeGreaterThan(1);
      const { closeTime } = await before.describe();
      expect(scheduledAt.getTime()).toBeLessThanOrEqual(closeTime!.getTime());
    }
    await (await createSweepProbe(gateway)).swept();
  });
});

describe('the paused schedule of the sweep with a cancelled run', () => {
  let gateway: Gateway;
  let probe: SweepProbe;
  let cancelled: SweepingRun[];

  beforeAll(async () => {
    gateway = await startGateway({
      worker: ['maintenance'],
      env: SWEEPING_ENV,
      times: { ...SWEEPING_TIMES, sweepRunMs: SWEEP_RUN_MS },
    });
    probe = await createSweepProbe(gateway);
    await eventually('a run that is due and waits for the open one', async () => {
      const { raw } = await sweepingSchedule(gateway).describe();
      return Number(raw.info?.bufferSize ?? 0) > 0 || undefined;
    });
  });

  afterAll(() => gateway.close());

  test('starts no sweep', async () => {
    const schedule = sweepingSchedule(gateway);
    await schedule.pause('by an operator');
    cancelled = await openRuns(gateway);
    for (const run of cancelled) {
      await handleOf(gateway, run).cancel();
      await runClosed(gateway, run.workflowId);
    }
    await probe.lose();
    // Two more runs fall due, and the worker looks a dozen times.
    await delay(2 * SWEEP_RUN_MS);
    expect(await probe.isFound()).toBe(false);
    expect(await openRuns(gateway)).toEqual([]);
  });

  test('gets a run from the worker once it is unpaused', async () => {
    await sweepingSchedule(gateway).unpause();
    await sweepingRun(gateway, ...cancelled);
    await probe.swept();
  });
});
