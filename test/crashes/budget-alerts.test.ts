import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addKey, type IssuedKey } from '../support/accounts.ts';
import { marksOf, spend } from '../support/budget-alerts.ts';
import { createCaller } from '../support/caller.ts';
import { oneDelivery } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { raiseObstacle } from '../support/obstacle.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createWorkerProcesses, type WorkerProcesses } from '../support/worker-processes.ts';
import { updateWorkspace } from '../support/workspaces.ts';

/** A worker is killed by SIGKILL in the transaction that marks a threshold and writes its event. */
let gateway: Gateway;
let receiver: Receiver;
let workers: WorkerProcesses;
let key: IssuedKey;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 },
  });
  workers = createWorkerProcesses(gateway);
  const manager = createCaller(gateway.origin, gateway.managementKey);
  await updateWorkspace(manager, 'default', { default_callback_url: receiver.url });
  key = await addKey(gateway, { limitNanos: 1_000_000_000n });
  await spend(gateway, { ...key, ...gateway }, 0.9);
});

afterAll(async () => {
  await workers.close();
  await gateway.close();
  await receiver.close();
});

/** Kills the worker between the mark and the event: the event waits for a lock, and ends with its connection. */
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

test('a worker killed during a budget alert leaves nothing; the next one alerts once', async () => {
  await dieBeforeEvent();
  expect(await marksOf(gateway, key.keyId)).toEqual([]);
  await workers.start();
  const manager = createCaller(gateway.origin, gateway.managementKey);
  const { event_id: eventId } = await oneDelivery(manager, 'status=delivered');
  expect(eventId).toBe(`budget-key-${key.hash}-limit-1000000000-80`);
  expect(await marksOf(gateway, key.keyId)).toEqual([50, 80]);
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([eventId]);
});
