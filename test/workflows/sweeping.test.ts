import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ScheduleNotFoundError } from '@temporalio/client';
import { PREVIOUS_SWEEP_SCHEDULE } from '../../domain/runs.ts';
import { createFaultyActivities } from '../support/faulty-activities.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
  createPreviousSchedule,
  createSweepProbe,
  handleOf,
  SWEEPING_ENV,
  SWEEPING_TIMES,
  type SweepingRun,
  sweepingRun,
  sweepingSchedule,
  type SweepProbe,
} from '../support/sweeping.ts';
import {
  createWorkerProcesses,
  type WorkerProcess,
  type WorkerProcesses,
} from '../support/worker-processes.ts';

/** Each run would sweep for an hour, and the next is due in an hour: what comes sooner was brought about here. */
const faulty = createFaultyActivities();
let gateway: Gateway;
let probe: SweepProbe;
let workers: WorkerProcesses;
let run: SweepingRun;

beforeAll(async () => {
  gateway = await startGateway({
    worker: false,
    // A stopping worker that waited for its sweep to end would outlast the test.
    env: { ...SWEEPING_ENV, WORKER_SHUTDOWN_GRACE: '1h' },
    times: SWEEPING_TIMES,
  });
  probe = await createSweepProbe(gateway);
  workers = createWorkerProcesses(gateway);
});

afterAll(async () => {
  await workers.close();
  await gateway.close();
});

describe('while a worker sweeps', () => {
  beforeEach(async () => {
    await gateway.startWorker(faulty.interceptors);
    run = await sweepingRun(gateway);
  });

  afterEach(async () => {
    faulty.heal();
    await gateway.stopWorker();
  });

  test('one run sweeps again and again', async () => {
    for (let sweeps = 0; sweeps < 3; sweeps += 1) await probe.swept();
    expect(await sweepingRun(gateway)).toEqual(run);
    expect((await sweepingSchedule(gateway).describe()).info.numActionsTaken).toBe(1);
  });

  test('the schedule of the version before is deleted, however often an old worker creates it', async () => {
    const previous = gateway.temporal.schedule.getHandle(PREVIOUS_SWEEP_SCHEDULE);
    for (let times = 0; times < 2; times += 1) {
      await createPreviousSchedule(gateway);
      await eventually('its deletion', async () => {
        const gone = (error: unknown): boolean => error instanceof ScheduleNotFoundError;
        return (await previous.describe().then(() => false, gone)) || undefined;
      });
    }
  });

  test('goes on in a new run when an operator terminates the run', async () => {
    await handleOf(gateway, run).terminate('test');
    await sweepingRun(gateway, run);
    await probe.swept();
  });

  test('goes on in a new run when an operator cancels the run and does not pause the schedule', async () => {
    await handleOf(gateway, run).cancel();
    await sweepingRun(gateway, run);
    expect((await handleOf(gateway, run).describe()).status.name).toBe('CANCELLED');
    await probe.swept();
  });

  test('goes on in a new run after runs that failed', async () => {
    faulty.fail('sweepRepeatedly', 'for-good');
    await handleOf(gateway, run).terminate('test');
    await eventually(
      'a second run that failed',
      async () => faulty.attempts('sweepRepeatedly') >= 2 || undefined,
    );
    faulty.heal();
    await sweepingRun(gateway, run);
    await probe.swept();
  });

  test('goes on after an attempt that died', async () => {
    faulty.fail('sweepRepeatedly', 'before');
    await handleOf(gateway, run).terminate('test');
    await sweepingRun(gateway, run);
    await eventually('a second attempt', async () => faulty.attempts('sweepRepeatedly') > 1 || undefined);
    await probe.swept();
  });
});

describe('another worker goes on in the same run', () => {
  let first: WorkerProcess;

  test('when the worker that sweeps is stopped, as by a deployment', async () => {
    await gateway.startWorker();
    run = await sweepingRun(gateway);
    first = await workers.start();
    await gateway.stopWorker();
    await probe.swept();
    expect(await sweepingRun(gateway)).toEqual(run);
  });

  test('when the worker that sweeps is killed', async () => {
    await workers.start();
    await first.kill();
    await probe.swept();
    expect(await sweepingRun(gateway)).toEqual(run);
  });
});
