import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { utcDayOf } from '../../domain/utc-day.ts';
import { createCaller } from '../support/caller.ts';
import { askChat, completed } from '../support/chat.ts';
import { oneDelivery } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { raiseObstacle } from '../support/obstacle.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createWorkerProcesses, type WorkerProcesses } from '../support/worker-processes.ts';
import { updateWorkspace } from '../support/workspaces.ts';

/** A worker is killed by SIGKILL while it writes the event about a model that expires soon. */
let gateway: Gateway;
let receiver: Receiver;
let workers: WorkerProcesses;
const today = utcDayOf(new Date());

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 },
  });
  workers = createWorkerProcesses(gateway);
  const manager = createCaller(gateway.origin, gateway.managementKey);
  await updateWorkspace(manager, 'default', { default_callback_url: receiver.url });
  await completed(await askChat(gateway, { model: 'local/echo-1' }));
  await eventually('the usage of the model', async () => {
    const { rowCount } = await gateway.database.query('select from daily_usage');
    return rowCount === 1 ? true : undefined;
  });
  await gateway.database.query(
    `update models set facts = facts || jsonb_build_object('expirationDate', $1::text)
     where id = 'local/echo-1'`,
    [today],
  );
});

afterAll(async () => {
  await workers.close();
  await gateway.close();
  await receiver.close();
});

/** Kills the worker while its event waits for a lock, so that the event ends with its connection. */
async function dieBeforeEvent(): Promise<void> {
  const obstacle = await raiseObstacle(gateway, gateway.env['DATABASE_URL']!);
  await obstacle.table('webhook_deliveries');
  const doomed = await workers.start();
  await obstacle.met('insert into webhook_deliveries');
  await doomed.kill();
  const waiting = `from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
                   and query ilike '%insert into webhook_deliveries%'`;
  await gateway.database.query(`select pg_terminate_backend(pid) ${waiting}`);
  await eventually('the end of the statement', async () => {
    const { rowCount } = await gateway.database.query(`select ${waiting}`);
    return rowCount === 0 ? true : undefined;
  });
  await obstacle.lift();
}

test('a worker killed during the event leaves nothing; the next one sends it once', async () => {
  await dieBeforeEvent();
  expect((await gateway.database.query('select from webhook_deliveries')).rowCount).toBe(0);
  await workers.start();
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const { event_id: eventId } = await oneDelivery(manager, 'status=delivered');
  expect(eventId).toBe(`model-expiring-${gateway.workspaceId}-local_2fecho-1-${today}-7`);
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([eventId]);
});
