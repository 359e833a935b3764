import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createFaultyActivities } from '../support/faulty-activities.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import {
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

describe('a worker that sweeps', () => {
  beforeEach(async () => {
    await gateway.startWorker(faulty.interceptors);
    run = await sweepingRun(gateway);
  });

  afterEach(async () => {
    faulty.heal();
    await gateway.stopWorker();
  });

  test('sweeps repeatedly in one run', async () => {
    for (let sweeps = 0; sweeps < 3; sweeps += 1) await probe.swept();
    expect(await sweepingRun(gateway)).toEqual(run);
    expect((await sweepingSchedule(gateway).describe()).info.numActionsTaken).toBe(1);
  });

  test('continues in a new run when an operator terminates the run', async () => {
    await handleOf(gateway, run).terminate('test');
    await sweepingRun(gateway, run);
    await probe.swept();
  });

  test('continues in a new run when an operator cancels the run without a pause', async () => {
    await handleOf(gateway, run).cancel();
    await sweepingRun(gateway, run);
    expect((await handleOf(gateway, run).describe()).status.name).toBe('CANCELLED');
    await probe.swept();
  });

  test('continues in a new run after failed runs', async () => {
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

  test('continues after a failed attempt', async () => {
    faulty.fail('sweepRepeatedly', 'before');
    await handleOf(gateway, run).terminate('test');
    await sweepingRun(gateway, run);
    await eventually('a second attempt', async () => faulty.attempts('sweepRepeatedly') > 1 || undefined);
    await probe.swept();
  });
});

describe('the run of the sweep', () => {
  let first: WorkerProcess;

  test('continues at a second worker when the first one is stopped', async () => {
    await gateway.startWorker();
    run = await sweepingRun(gateway);
    first = await workers.start();
    await gateway.stopWorker();
    await probe.swept();
    expect(await sweepingRun(gateway)).toEqual(run);
  });

  test('continues at a second worker when the first one is killed', async () => {
    await workers.start();
    await first.kill();
    await probe.swept();
    expect(await sweepingRun(gateway)).toEqual(run);
  });
});
