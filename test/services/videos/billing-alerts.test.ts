import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createLogger, type Logger } from '../../../platform/logger.ts';
import { settleJob } from '../../../services/videos/settle-job.ts';
import type { BillingFlag } from '../../../domain/videos/billing-flag.ts';
import { runAdmin } from '../../support/admin.ts';
import { acceptedClip, endAtProvider } from '../../support/metered-jobs.ts';
import { startSubmitScene, type SubmitScene } from './submit-scene.ts';

let scene: SubmitScene;
/** The facts of logged alerts, and the counted flags. */
let alerts: { endpointId: string; jobId: string; flag: string }[];
let counted: BillingFlag[];

beforeAll(async () => {
  scene = await startSubmitScene();
});
afterAll(() => scene.close());
beforeEach(async () => {
  [alerts, counted] = [[], []];
  await scene.gateway.database.query('delete from billing_alerts');
});

/** The dependencies of a process whose alerts the test sees. */
function deps() {
  const logger: Logger = createLogger({ level: 'fatal', name: 'test' });
  logger.error = ((facts: (typeof alerts)[number]) => alerts.push(facts)) as Logger['error'];
  return { ...scene.deps.video, logger, flagged: (flag: BillingFlag) => counted.push(flag) };
}

async function settled(model: string, amount: number | null): Promise<string> {
  const jobId = await acceptedClip(scene, model, [{ kind: 'charge', amount }]);
  await settleJob(deps(), jobId, await endAtProvider(scene, jobId));
  return jobId;
}

test('the first unusual bill of an endpoint on a day is logged, and all are counted', async () => {
  await settled('local/clip-units', 1);
  const first = await settled('local/clip-units', 9);
  await settled('local/clip-units', 0);
  const other = await settled('local/clip-credits', null);
  expect(alerts).toEqual([
    expect.objectContaining({ endpointId: 'local/clip-units@local', jobId: first, flag: 'above_estimate' }),
    expect.objectContaining({ endpointId: 'local/clip-credits@local', jobId: other, flag: 'not_reported' }),
  ]);
  expect(counted).toEqual(['above_estimate', 'below_estimate', 'not_reported']);
});

test('the next day brings the next alert', async () => {
  await settled('local/clip-units', 9);
  await scene.gateway.database.query('update billing_alerts set alerted_on = alerted_on - 1');
  await settled('local/clip-units', 9);
  expect(alerts).toHaveLength(2);
});

test('processes that settle at once log one alert together', async () => {
  const jobIds = await Promise.all(
    [1, 2, 3, 4].map(() => acceptedClip(scene, 'local/clip-units', [{ kind: 'charge', amount: 9 }])),
  );
  const ends = await Promise.all(jobIds.map((jobId) => endAtProvider(scene, jobId)));
  await Promise.all(jobIds.map((jobId, index) => settleJob(deps(), jobId, ends[index]!)));
  expect([alerts.length, counted.length]).toEqual([1, 4]);
});

test('a settlement that is repeated after a crash makes up for the alert', async () => {
  const jobId = await settled('local/clip-units', 9);
  await scene.gateway.database.query('delete from billing_alerts');
  const again = await settleJob(deps(), jobId, { status: 'completed' });
  expect([again.first, alerts.length, counted.length]).toEqual([false, 2, 1]);
  await settleJob(deps(), jobId, { status: 'completed' });
  expect(alerts).toHaveLength(2);
});

test('admin jobs --flagged lists unusual bills, newest first', async () => {
  const list = async () =>
    (await runAdmin(scene.gateway, ['jobs', '--flagged'])).stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/).slice(0, -1));
  const { rows } = await scene.gateway.database.query(
    'select from video_jobs where billing_flag is not null',
  );
  const jobId = await settled('local/clip-units', 3.5);
  const listed = await list();
  expect(listed).toHaveLength(rows.length + 2);
  expect(listed.slice(0, 2)).toEqual([
    ['job', 'endpoint', 'flag', 'reported', 'estimate', 'billed'],
    [jobId, 'local/clip-units@local', 'above_estimate', 'billable_units 3.5', '0.01', '0.035'],
  ]);
  await scene.gateway.database.query('update video_jobs set billing_flag = null');
  expect((await runAdmin(scene.gateway, ['jobs', '--flagged'])).stdout).toBe('No bill is flagged.\n');
});
