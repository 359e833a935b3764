/** Kills a worker amid video jobs at a vendor's stand-in, and defines what every vendor of videos promises then. */
import { request as forward } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type LoopbackServer, startLoopbackServer } from '../platform/loopback-server.ts';
import type { VendorStandIn } from '../providers/adapter-under-test.ts';
import { createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { expectBalancedBooks } from '../support/expect-one-end.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { deliveryEnded } from '../support/job-facts.ts';
import { ended, submit } from '../support/jobs.ts';
import { type BillFacts, billOf } from '../support/metered-jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createWorkerProcesses, type WorkerProcesses } from '../support/worker-processes.ts';

/** Where the worker is killed. */
const POINTS = (['submitVideo', 'checkVideoStatus', 'storeVideoOutputs', 'settleVideo'] as const).map(
  (activity) => ({ activity, at: 'after' as const }),
);

export interface VendorOfVideos<Vendor extends VendorStandIn> {
  /** The vendor's name in generations. */
  name: string;
  start(): Promise<Vendor>;
  /** Returns the variables of the gateway. Called after the vendor has started. */
  env(vendor: Vendor): Record<string, string>;
  request: { model: string } & Record<string, unknown>;
  /** Lists what was submitted to the vendor, with the addresses for its callbacks. */
  submitted(vendor: Vendor): readonly { id: string; webhook?: string | undefined }[];
  /** Ends a job that stalls at the vendor and calls its webhook, of this provider. Absent: it has none. */
  webhook?: { slug: string; finish(vendor: Vendor, id: string): Promise<Response | undefined> };
  /** The usage of a job, and the facts of its bill. */
  usage: { cost: number } & Record<string, unknown>;
  bill: Partial<BillFacts>;
}

interface VendorScene<Vendor> {
  readonly vendor: Vendor;
  readonly gateway: Gateway;
  /** The jobs during which the worker was killed. */
  readonly jobs: readonly string[];
  /** The public address of the gateway. */
  readonly address: string;
  submit(): Promise<string>;
  /** Expects the bill in the job, its webhook and its generation. */
  expectBilled(jobId: string): Promise<void>;
}

/** Starts the vendor and a gateway, and kills the worker of one job at each point. */
function setUpScene<Vendor extends VendorStandIn>(options: VendorOfVideos<Vendor>): VendorScene<Vendor> {
  let [vendor, gateway, receiver, workers]: [Vendor?, Gateway?, Receiver?, WorkerProcesses?] = [];
  /** The public address must be known before the gateway has a port. */
  let door: LoopbackServer;
  const jobs: string[] = [];
  const scene: VendorScene<Vendor> = {
    get vendor() {
      return vendor!;
    },
    get gateway() {
      return gateway!;
    },
    get address() {
      return door.origin;
    },
    jobs,
    submit: async () => (await submit(gateway!, { ...options.request, callback_url: receiver!.url })).id,
    async expectBilled(jobId) {
      const { usage, generation_id: generationId } = await ended(gateway!, jobId);
      expect(usage).toEqual({ is_byok: false, ...options.usage });
      expect(await billOf(gateway!, jobId)).toMatchObject({
        status: 'completed',
        flag: null,
        ...options.bill,
      });
      expect((await deliveryEnded(gateway!, jobId)).status).toBe('delivered');
      const caller = createCaller(gateway!.origin, gateway!.apiKey);
      const answer = await caller.call('GET', `/generation?id=${generationId}`);
      const { cost: total_cost } = options.usage;
      const data = { provider_name: options.name, total_cost, model: options.request.model };
      expect(await answer.json()).toMatchObject({ data });
    },
  };

  beforeAll(async () => {
    [vendor, receiver] = await Promise.all([options.start(), startReceiver()]);
    door = await startDoor(() => gateway!.origin);
    gateway = await startGateway({ env: { PUBLIC_URL: door.origin, ...options.env(vendor) } });
    workers = createWorkerProcesses(gateway);
    for (const _ of POINTS) jobs.push(await scene.submit());
    const doomed = await workers.start(POINTS.map((point, at) => ({ ...point, workflowId: jobs[at]! })));
    await doomed.reached();
    await doomed.kill();
    await workers.start();
  });
  afterAll(async () => {
    await workers?.close();
    await gateway?.close();
    await door.close();
    await receiver?.close();
    await vendor?.upstream.close();
  });
  return scene;
}

function startDoor(origin: () => string): Promise<LoopbackServer> {
  return startLoopbackServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const onward = forward(origin() + url, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward.on('error', () => response.destroy()));
  });
}

/** Defines the promises for one vendor, and returns the jobs during which the worker was killed. */
export function describeVendorVideos<Vendor extends VendorStandIn>(
  options: VendorOfVideos<Vendor>,
): readonly string[] {
  const { name, webhook } = options;
  const scene = setUpScene(options);
  const submitted = () => options.submitted(scene.vendor);

  test.each(POINTS.map(({ activity, at }, index) => [at, activity, index] as const))(
    `a worker that dies %s %s submits a video to ${name} once, and bills it once`,
    async (_at, _activity, index) => {
      await scene.expectBilled(scene.jobs[index]!);
      expect(submitted()).toHaveLength(scene.jobs.length);
    },
  );

  if (webhook !== undefined)
    test(`a webhook of ${name} ends its job, whose bill is read with its result`, async () => {
      scene.vendor.upstream.addFaults({ kind: 'stall' });
      const id = await scene.submit();
      const job = await eventually('the job at the vendor', async () => submitted()[scene.jobs.length]);
      const path = `/api/v1/provider-callbacks/${webhook.slug}/${id}?token=`;
      expect(job.webhook).toMatch(`${scene.address}${path}`);
      const answer = await webhook.finish(scene.vendor, job.id);
      expect([answer?.status, await answer?.json()]).toEqual([200, { received: true }]);
      await scene.expectBilled(id);
    });

  test(`a submission to ${name} whose answer is lost fails as unconfirmed, costs nothing and is not repeated`, async () => {
    const before = submitted().length;
    scene.vendor.upstream.addFaults({ kind: 'drop-after', on: 'create' });
    const id = await scene.submit();
    expect((await ended(scene.gateway, id)).status).toBe('failed');
    expect(await billOf(scene.gateway, id)).toMatchObject({ status: 'failed', billed: '0', report: null });
    expect(submitted()).toHaveLength(before + 1);
  });

  test(`a job at ${name} outlives refused and garbled status checks, and is billed once`, async () => {
    scene.vendor.upstream.addFaults(
      { kind: 'status', on: 'retrieve', status: 503, times: 3 },
      { kind: 'garbage', on: 'retrieve' },
      { kind: 'drop', on: 'retrieve' },
      { kind: 'status', on: 'retrieve', status: 429, retryAfter: '1' },
    );
    await scene.expectBilled(await scene.submit());
  });

  test('the ledger agrees, and nothing stays reserved', () => expectBalancedBooks(scene.gateway));
  return scene.jobs;
}
