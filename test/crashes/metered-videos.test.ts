import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectBalancedBooks } from '../support/expect-one-end.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { deliveryEnded } from '../support/job-facts.ts';
import { ended, submit } from '../support/jobs.ts';
import { billOf, CLIP } from '../support/metered-jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createWorkerProcesses, type WorkerProcesses } from '../support/worker-processes.ts';

/** Where the worker is killed, around the report of the provider and the settlement. */
const POINTS = [
  { activity: 'checkVideoStatus', at: 'after' },
  { activity: 'storeVideoOutputs', at: 'after' },
  { activity: 'settleVideo', at: 'before' },
  { activity: 'settleVideo', at: 'after' },
] as const;

let gateway: Gateway;
let receiver: Receiver;
let workers: WorkerProcesses;
const jobs: string[] = [];

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway();
  workers = createWorkerProcesses(gateway);
  for (const _ of POINTS) {
    const faults = [{ kind: 'charge', amount: 3.5 }];
    const body = { ...CLIP, model: 'local/clip-units', callback_url: receiver.url };
    jobs.push((await submit(gateway, { ...body, provider: { options: { local: { faults } } } })).id);
  }
  const doomed = await workers.start(POINTS.map((point, index) => ({ ...point, workflowId: jobs[index]! })));
  await doomed.reached();
  await doomed.kill();
  await workers.start();
});

afterAll(async () => {
  await workers.close();
  await gateway.close();
  await receiver.close();
});

test.each(POINTS.map(({ activity, at }, index) => [at, activity, index] as const))(
  'a worker that dies %s %s bills what the provider reported, once, with one event',
  async (_at, _activity, index) => {
    const jobId = jobs[index]!;
    const { usage } = await ended(gateway, jobId);
    expect(usage).toEqual({ cost: 0.035, is_byok: false, units: { billable_units: 3.5 } });
    expect(await billOf(gateway, jobId)).toEqual({
      status: 'completed',
      reserved: '20000000',
      cost: '35000000',
      billed: '35000000',
      report: { billable_units: '3.5' },
      flag: 'above_estimate',
    });
    expect((await deliveryEnded(gateway, jobId)).status).toBe('delivered');
    const bodies = receiver.received
      .filter(({ headers }) => headers['webhook-id'] === `${jobId}-completed`)
      .map(({ body }) => (JSON.parse(body.toString()) as { data: { usage: unknown } }).data.usage);
    expect(new Set(bodies.map((each) => JSON.stringify(each)))).toEqual(new Set([JSON.stringify(usage)]));
  },
);

test('the ledger agrees, nothing stays reserved, and operators were alerted once', async () => {
  await expectBalancedBooks(gateway);
  const { rows } = await gateway.database.query('select endpoint_id from billing_alerts');
  expect(rows).toEqual([{ endpoint_id: 'local/clip-units@local' }]);
});
