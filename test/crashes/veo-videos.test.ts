import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTokenServer, type TokenServer } from '../providers/google/vertex-tokens.ts';
import { startVeoUpstream, type VeoUpstream } from '../providers/google/veo-upstream.ts';
import { expectBalancedBooks } from '../support/expect-one-end.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';
import { billOf } from '../support/metered-jobs.ts';
import { createWorkerProcesses, type WorkerProcesses } from '../support/worker-processes.ts';

/** Where the worker is killed: with the operation accepted, the file stored, and the bill written. */
const POINTS = [
  { activity: 'submitVideo', at: 'after' },
  { activity: 'storeVideoOutputs', at: 'after' },
  { activity: 'settleVideo', at: 'after' },
] as const;
const VEO = { model: 'google/veo-3.1-lite', prompt: 'A kite', duration: 8, resolution: '720p' };

let vendor: VeoUpstream;
let tokens: TokenServer;
let gateway: Gateway;
let workers: WorkerProcesses;
const jobs: string[] = [];

beforeAll(async () => {
  [vendor, tokens] = await Promise.all([startVeoUpstream(), startTokenServer()]);
  gateway = await startGateway({
    env: {
      PROVIDER_GOOGLE_VERTEX_API_KEY: tokens.serviceAccount({ project_id: 'p1', region: 'us-central1' }),
      PROVIDER_GOOGLE_VERTEX_BASE_URL: `${vendor.url}/v1`,
    },
  });
  workers = createWorkerProcesses(gateway);
  for (const _ of POINTS) jobs.push((await submit(gateway, VEO)).id);
  const doomed = await workers.start(POINTS.map((point, index) => ({ ...point, workflowId: jobs[index]! })));
  await doomed.reached();
  await doomed.kill();
  await workers.start();
});

afterAll(async () => {
  await workers.close();
  await gateway.close();
  await Promise.all([vendor.upstream.close(), tokens.close()]);
});

test.each(POINTS.map(({ activity, at }, index) => [at, activity, index] as const))(
  'a worker that dies %s %s makes one video with Veo, from a bucket of the project, and bills it once',
  async (_at, _activity, index) => {
    const { usage } = await ended(gateway, jobs[index]!);
    expect(usage).toEqual({ cost: 0.4, is_byok: false });
    expect(await billOf(gateway, jobs[index]!)).toMatchObject({ status: 'completed', billed: '400000000' });
    expect(vendor.operations()).toHaveLength(jobs.length);
  },
);

test('the tokens are few, the ledger agrees, and nothing stays reserved', async () => {
  expect(tokens.given()).toBeLessThanOrEqual(2 * POINTS.length);
  await expectBalancedBooks(gateway);
});
