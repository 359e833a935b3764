import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { broadcastWorkflowId } from '../../domain/runs.ts';
import { generationsIn } from '../support/broadcast-scene.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { deleteDestination, getDestination, makeDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { CLOSED_PORT, type Replica, startReplica } from '../support/replica.ts';
import { createWorkerProcesses, type WorkerProcesses } from '../support/worker-processes.ts';

/** Workers that are killed while they deliver, nudges that are lost, and runs that are gone. */
let gateway: Gateway;
let manager: Caller;
let workers: WorkerProcesses;
/** An API that cannot reach Temporal. */
let cutOff: Replica;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startGateway({
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 },
  });
  manager = createCaller(gateway.origin, gateway.managementKey);
  cutOff = await startReplica(gateway, ({ temporal }) => ({
    temporal: { ...temporal, address: CLOSED_PORT },
  }));
  workers = createWorkerProcesses(gateway);
});

afterAll(async () => {
  await workers.close();
  await cutOff.close();
  await gateway.close();
});

beforeEach(async () => {
  receiver = await startReceiver();
});

let destinationId: string;
afterEach(async () => {
  await deleteDestination(manager, destinationId);
  await receiver.close();
});

async function addDestination(): Promise<void> {
  ({ id: destinationId } = await makeDestination(manager, { config: { url: receiver.url } }));
}

async function chat(origin = gateway.origin): Promise<string> {
  const body = { model: 'local/echo-1', messages: [{ role: 'user', content: 'Hello' }] };
  const response = await createCaller(origin, gateway.apiKey).call('POST', '/chat/completions', { body });
  await response.text();
  return response.headers.get('x-generation-id')!;
}

const chats = (count: number): Promise<string[]> => Promise.all(Array.from({ length: count }, () => chat()));

const receivedIds = (): Set<string> => new Set(receiver.received.flatMap(({ body }) => generationsIn(body)));

const arrived = (ids: readonly string[]): Promise<unknown> =>
  eventually('all generations', async () => (ids.every((id) => receivedIds().has(id)) ? true : undefined));

describe('a worker that is killed', () => {
  test('loses no generation when its pump has not begun', async () => {
    await addDestination();
    const worker = await workers.start([{ activity: 'pumpDestination', at: 'before' }]);
    const ids = await chats(3);
    await worker.reached();
    await worker.kill();
    expect(receiver.received).toEqual([]);
    const next = await workers.start();
    await arrived(ids);
    await next.kill();
  });

  test('leaves a batch in flight that is delivered again with later generations', async () => {
    receiver.answers.splice(0, 1, 'silence', { status: 200 });
    await addDestination();
    const worker = await workers.start();
    const first = await chats(3);
    await receiver.next(1);
    await worker.kill();
    const later = await chats(2);
    const next = await workers.start();
    await arrived([...first, ...later]);
    await eventually('a delivery that is up to date', async () => {
      const { delivery } = await getDestination(manager, destinationId);
      return delivery['backlog'] === 0 && delivery['delivered'] === 5 ? true : undefined;
    });
    await next.kill();
  });
});

describe('the sweep of destinations', () => {
  test('starts the delivery whose nudge was lost by the API', async () => {
    await addDestination();
    const worker = await workers.start();
    const id = await chat(cutOff.origin);
    await arrived([id]);
    await worker.kill();
  });

  test('restarts a delivery whose run has shown no sign for three minutes', async () => {
    receiver.answers.splice(0, 1, { status: 503 }, { status: 200 });
    await addDestination();
    const worker = await workers.start();
    const id = await chat();
    await receiver.next(1);
    // The pump records the failure after the answer, and with it a new sign of life.
    await eventually('the record of the failure', async () => {
      const { rows } = await gateway.database.query(
        'select from broadcast_progress where destination_id = $1 and next_attempt_at is not null',
        [destinationId],
      );
      return rows[0];
    });
    const run = gateway.temporal.workflow.getHandle(broadcastWorkflowId(destinationId));
    await run.terminate();
    await gateway.database.query(
      `update broadcast_progress
       set touched_at = now() - interval '3 minutes', next_attempt_at = now() - interval '3 minutes'
       where destination_id = $1`,
      [destinationId],
    );
    await receiver.next(2);
    expect(receivedIds()).toEqual(new Set([id]));
    await worker.kill();
  });
});
