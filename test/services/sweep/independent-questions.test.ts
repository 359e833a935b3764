import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { NOTHING_SWEPT, sweep } from '../../../services/sweep/sweep.ts';
import { type TestActivityDeps, createActivityDeps } from '../../support/activity-deps.ts';
import { createCaller } from '../../support/caller.ts';
import { eventually } from '../../support/eventually.ts';
import { commitEvent } from '../../support/events.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { submit } from '../../support/jobs.ts';
import type { ScimSource } from '../../support/scim-source.ts';
import { putSource } from '../../support/syncs.ts';

let gateway: Gateway;
let deps: TestActivityDeps;

beforeAll(async () => {
  gateway = await startGateway();
  deps = await createActivityDeps(gateway);
});

afterAll(async () => {
  await deps.close();
  await gateway.close();
});

const LONG_AGO = `now() - interval '1 hour'`;

async function addUndispatchedJob(): Promise<void> {
  const { id } = await submit(gateway);
  await eventually('the start of the job', async () => {
    const sql = 'select from video_jobs where id = $1 and dispatched_at is not null';
    return (await gateway.database.query(sql, [id])).rowCount === 1 || undefined;
  });
  await gateway.database.query(`update video_jobs set dispatched_at = null, created_at = ${LONG_AGO}`);
}

async function addUndispatchedWebhook(): Promise<string> {
  const callback = ['http://127.0.0.1:9/hook'];
  await gateway.database.query('update workspaces set default_callback_url = $1', callback);
  const { id } = (await commitEvent(gateway, deps.knex))!;
  await gateway.database.query(`update webhook_deliveries set created_at = ${LONG_AGO}`);
  return id;
}

/** Adds a source of people from which a sync is due. */
async function addDueSource(): Promise<void> {
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const source = { baseUrl: 'https://directory.example/scim/v2', token: 'a-token' } as ScimSource;
  await putSource(manager, source);
  await gateway.database.query(`update scim_sources set next_sync_at = now()`);
}

test('jobs that take long to start delay neither webhooks nor directory syncs', async () => {
  await addUndispatchedJob();
  const deliveryId = await addUndispatchedWebhook();
  await addDueSource();
  const started = Promise.withResolvers<void>();
  const runs = { ...deps.sweeping.sweep.runs, startVideo: () => started.promise };
  const sweeping = sweep({ ...deps.sweeping.sweep, runs });
  await eventually('the webhook', async () => {
    return (await runs.describe(`webhook-${deliveryId}`)) === 'running' || undefined;
  });
  await eventually('the sync', async () => {
    const { rows } = await gateway.database.query('select from directory_jobs');
    return rows.length === 1 || undefined;
  });
  started.resolve();
  expect(await sweeping).toEqual({ ...NOTHING_SWEPT, started: 1, webhooks: 1, syncs: 1 });
});
