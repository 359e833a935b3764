import { request as forward } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type LoopbackServer, startLoopbackServer } from '../platform/loopback-server.ts';
import { type OmniUpstream, startOmniUpstream } from '../providers/google/omni-upstream.ts';
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
const OMNI = { model: 'google/gemini-omni-1.2-flash', prompt: 'A kite', duration: 4, resolution: '720p' };
/** 4 seconds of 5,792 tokens at $12 a million, 21 tokens of the prompt at $1.50, 412 of thoughts at $9. */
const COST = 0.2817555;

let vendor: OmniUpstream;
let receiver: Receiver;
/** The public address of the gateway, which must be known before the gateway has a port. */
let door: LoopbackServer;
let gateway: Gateway;
let workers: WorkerProcesses;
const jobs: string[] = [];

beforeAll(async () => {
  vendor = await startOmniUpstream();
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
      PROVIDER_GOOGLE_API_KEY: UPSTREAM_KEY,
      PROVIDER_GOOGLE_BASE_URL: vendor.baseUrl,
    },
  });
  workers = createWorkerProcesses(gateway);
  for (const _ of POINTS) jobs.push((await submit(gateway, { ...OMNI, callback_url: receiver.url })).id);
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

/** Expects the bill of the tokens that Google reported, in the job, its webhook and its generation. */
async function expectBilled(jobId: string): Promise<void> {
  const { usage, generation_id: generationId } = await ended(gateway, jobId);
  const units = { video_tokens: 23_168, audio_tokens: 0, input_tokens: 21, text_tokens: 412 };
  expect(usage).toEqual({ cost: COST, is_byok: false, units });
  expect(await billOf(gateway, jobId)).toMatchObject({
    status: 'completed',
    cost: '281755500',
    billed: '281755500',
    report: { video_tokens: '23168', input_tokens: '21', text_tokens: '412' },
    flag: null,
  });
  expect((await deliveryEnded(gateway, jobId)).status).toBe('delivered');
  const caller = createCaller(gateway.origin, gateway.apiKey);
  const answer = await caller.call('GET', `/generation?id=${generationId}`);
  expect(await answer.json()).toMatchObject({
    data: { provider_name: 'Google Gemini API', total_cost: COST, model: OMNI.model },
  });
}

test.each(POINTS.map(({ activity, at }, index) => [at, activity, index] as const))(
  'a worker that dies %s %s submits a video to Google once, and bills it once by the reported tokens',
  async (_at, _activity, index) => {
    await expectBilled(jobs[index]!);
    expect(vendor.interactions()).toHaveLength(jobs.length);
  },
);

test("Google's webhook about an interaction ends its job, whose tokens are read with its result", async () => {
  vendor.upstream.addFaults({ kind: 'stall' });
  const { id } = await submit(gateway, { ...OMNI, callback_url: receiver.url });
  const interaction = await eventually('the interaction', async () => vendor.interactions()[jobs.length]);
  const [address] = interaction.body.webhook_config!.uris;
  expect(address).toMatch(`${door.origin}/api/v1/provider-callbacks/google/${id}?token=`);
  const answer = await vendor.finish(interaction.id);
  expect([answer?.status, await answer?.json()]).toEqual([200, { received: true }]);
  await expectBilled(id);
});

test('a submission to Google whose answer is lost fails as unconfirmed, costs nothing and is not repeated', async () => {
  const before = vendor.interactions().length;
  vendor.upstream.addFaults({ kind: 'drop-after', on: 'create' });
  const { id } = await submit(gateway, OMNI);
  expect((await ended(gateway, id)).status).toBe('failed');
  expect(await billOf(gateway, id)).toMatchObject({ status: 'failed', billed: '0', report: null });
  expect(vendor.interactions()).toHaveLength(before + 1);
});

test('a job at Google outlives refused and garbled status checks, and is billed once', async () => {
  vendor.upstream.addFaults(
    { kind: 'status', on: 'retrieve', status: 503, times: 3 },
    { kind: 'garbage', on: 'retrieve' },
    { kind: 'drop', on: 'retrieve' },
    { kind: 'status', on: 'retrieve', status: 429, retryAfter: '1' },
  );
  await expectBilled((await submit(gateway, { ...OMNI, callback_url: receiver.url })).id);
});

test('the ledger agrees, and nothing stays reserved', () => expectBalancedBooks(gateway));
