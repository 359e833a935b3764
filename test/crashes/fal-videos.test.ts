import { request as forward } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type LoopbackServer, startLoopbackServer } from '../platform/loopback-server.ts';
import { type FalUpstream, startFalUpstream } from '../providers/fal-upstream.ts';
import { UPSTREAM_KEY } from '../providers/upstream-client.ts';
import { createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { expectBalancedBooks } from '../support/expect-one-end.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { deliveryEnded } from '../support/job-facts.ts';
import { ended, submit } from '../support/jobs.ts';
import { billOf } from '../support/metered-jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createWorkerProcesses, type WorkerProcesses } from '../support/worker-processes.ts';

/** Where the worker is killed: with the result read, the file stored, and the bill written. */
const POINTS = [
  { activity: 'checkVideoStatus', at: 'after' },
  { activity: 'storeVideoOutputs', at: 'after' },
  { activity: 'settleVideo', at: 'after' },
] as const;
const VEO = {
  model: 'google/veo-3.1',
  prompt: 'A kite',
  duration: 4,
  resolution: '720p',
  generate_audio: false,
};

let vendor: FalUpstream;
let receiver: Receiver;
/** The public address of the gateway, which must be known before the gateway has a port. */
let door: LoopbackServer;
let gateway: Gateway;
let workers: WorkerProcesses;
const jobs: string[] = [];

beforeAll(async () => {
  vendor = await startFalUpstream();
  receiver = await startReceiver();
  door = await startLoopbackServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const onward = forward(gateway.origin + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward.on('error', () => response.destroy()));
  });
  gateway = await startGateway({
    env: {
      PUBLIC_URL: door.origin,
      PROVIDER_FAL_API_KEY: UPSTREAM_KEY,
      PROVIDER_FAL_BASE_URL: vendor.baseUrl,
    },
  });
  workers = createWorkerProcesses(gateway);
  vendor.upstream.addFaults({ kind: 'charge', amount: '2.0', times: 100 });
  for (const _ of POINTS) jobs.push((await submit(gateway, { ...VEO, callback_url: receiver.url })).id);
  const doomed = await workers.start(POINTS.map((point, index) => ({ ...point, workflowId: jobs[index]! })));
  await doomed.reached();
  await doomed.kill();
  await workers.start();
});

afterAll(async () => {
  await workers.close();
  await gateway.close();
  await door.close();
  await receiver.close();
  await vendor.upstream.close();
});

/** Expects the bill of fal's report, in the job, its webhook and its generation. */
async function expectBilled(jobId: string): Promise<void> {
  const { usage, generation_id: generationId } = await ended(gateway, jobId);
  expect(usage).toEqual({ cost: 0.8, is_byok: false, units: { billable_units: 2 } });
  expect(await billOf(gateway, jobId)).toEqual({
    status: 'completed',
    reserved: '1200000000',
    cost: '800000000',
    billed: '800000000',
    report: { billable_units: '2' },
    flag: null,
  });
  expect((await deliveryEnded(gateway, jobId)).status).toBe('delivered');
  const caller = createCaller(gateway.origin, gateway.apiKey);
  const answer = await caller.call('GET', `/generation?id=${generationId}`);
  expect(await answer.json()).toMatchObject({
    data: { provider_name: 'fal', total_cost: 0.8, model: 'google/veo-3.1' },
  });
}

test.each(POINTS.map(({ activity, at }, index) => [at, activity, index] as const))(
  'a worker that dies %s %s submits a video to fal once, and bills it once by the reported units',
  async (_at, _activity, index) => {
    await expectBilled(jobs[index]!);
    expect(vendor.queued()).toHaveLength(jobs.length);
  },
);

test("fal's signed webhook ends a job, whose units are read with its result", async () => {
  vendor.upstream.addFaults({ kind: 'stall' });
  const { id } = await submit(gateway, { ...VEO, callback_url: receiver.url });
  const request = await eventually('the request in the queue', async () => vendor.queued()[jobs.length]);
  expect(request.webhook).toMatch(`${door.origin}/api/v1/provider-callbacks/fal/${id}?token=`);
  const answer = await vendor.finish(request.id);
  expect([answer?.status, await answer?.json()]).toEqual([200, { received: true }]);
  await expectBilled(id);
});

test('the ledger agrees, and nothing stays reserved', () => expectBalancedBooks(gateway));
