import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type OwnTemporal, startOwnTemporal } from '../support/own-temporal.ts';
import {
  createSweepProbe,
  handleOf,
  openRuns,
  SWEEPING_ENV,
  SWEEPING_TIMES,
  sweepingRun,
  sweepingSchedule,
  type SweepProbe,
} from '../support/sweeping.ts';

const HOUR_MS = 3_600_000;
/** Time to kill Temporal before a run falls due. */
const DUE_AFTER_MS = 15_000;
/** Longer than a worker may be silent. */
const OUTAGE_MS = 12_000;

let temporal: OwnTemporal;
let gateway: Gateway;
let probe: SweepProbe;

beforeAll(async () => {
  temporal = await startOwnTemporal();
  gateway = await startGateway({
    worker: ['maintenance'],
    namespace: temporal.namespace,
    env: SWEEPING_ENV,
    times: SWEEPING_TIMES,
  });
  probe = await createSweepProbe(gateway);
});

afterAll(async () => {
  await gateway.close();
  await temporal.close();
});

test('the sweeping run continues after Temporal is killed and restarted', async () => {
  const run = await sweepingRun(gateway);
  await temporal.kill();
  await delay(OUTAGE_MS);
  await temporal.restart('same');
  expect(await sweepingRun(gateway)).toEqual(run);
  await probe.swept();
});

test('a sweeping run that fell due during the outage starts after it', async () => {
  const run = await sweepingRun(gateway);
  // Without a worker only the schedule can start a run.
  await gateway.stopWorker();
  await handleOf(gateway, run).terminate('test');
  const dueAtMs = Date.now() + DUE_AFTER_MS;
  const spec = { intervals: [{ every: HOUR_MS, offset: dueAtMs % HOUR_MS }] };
  await sweepingSchedule(gateway).update((previous) => ({ ...previous, spec }));
  await eventually('the new time', async () => {
    const [next] = (await sweepingSchedule(gateway).describe()).info.nextActionTimes;
    return next !== undefined && Math.abs(next.getTime() - dueAtMs) < 2_000 ? true : undefined;
  });
  await temporal.kill();
  await delay(Math.max(0, dueAtMs + 1_000 - Date.now()));
  await temporal.restart('same');
  await eventually('the run', async () => ((await openRuns(gateway)).length > 0 ? true : undefined));
  await gateway.startWorker();
  await sweepingRun(gateway, run);
  await probe.swept();
});

test('a new sweeping run starts after Temporal loses all its data', async () => {
  const run = await sweepingRun(gateway);
  await temporal.kill();
  await temporal.restart('empty');
  await sweepingRun(gateway, run);
  await probe.swept();
});
