import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { type Gateway, startGateway } from '../../test/support/gateway.ts';
import { type Receiver, startReceiver } from '../../test/support/receiver.ts';
import { median, renderTable } from '../table.ts';
import { createReferenceActivities } from './reference-activities.ts';

/** Jobs of one round, all submitted at once, and pairs of rounds. */
const [jobs = 200, rounds = 5] = process.argv.slice(2).map(Number);

const receiver = await startReceiver();
// Starts are paced while workers lag behind; here that is what is measured, so the pace is out of the way.
const gateway = await startGateway({ worker: false, env: { JOB_STARTS_PER_SECOND: '10000' } });
await gateway.database.query('create table reference_jobs (id text primary key, state text not null)');
const workflowBundle = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('reference-workflows.ts', import.meta.url)),
  logger: new DefaultLogger('WARN'),
});

const rates = { product: [] as number[], reference: [] as number[] };
await gateway.startWorker();
const reference = await startReference(gateway, receiver);
await productRound(20);
await referenceRound(20, 'warm-up');
for (let round = 1; round <= rounds; round += 1) {
  rates.product.push(await productRound(jobs));
  rates.reference.push(await referenceRound(jobs, `r${round}`));
  process.stdout.write(`round ${round} of ${rounds} done\n`);
}
await reference.stop();
await gateway.close();
await receiver.close();

const ratios = rates.product.map((rate, i) => rate / rates.reference[i]!);
const cells = (values: number[], digits: number): string[] =>
  [Math.min(...values), median(values), Math.max(...values)].map((value) => value.toFixed(digits));
process.stdout.write(
  `\n${jobs} jobs a round, ${rounds} rounds, webhook included, canned MP4\n\n${renderTable(
    ['', 'min', 'median', 'max'],
    [
      ['product, jobs/s', ...cells(rates.product, 1)],
      ['reference, jobs/s', ...cells(rates.reference, 1)],
      ['ratio', ...cells(ratios, 2)],
    ],
  )}\n`,
);

/** Jobs a second from the first request to the last webhook. */
async function productRound(count: number): Promise<number> {
  return measure(count, async () => {
    await Promise.all(
      Array.from({ length: count }, () =>
        gateway.call('POST', '/videos', {
          body: { model: 'local/clip-canned', prompt: 'a benchmark', callback_url: receiver.url },
        }),
      ),
    );
  });
}

async function referenceRound(count: number, prefix: string): Promise<number> {
  return measure(count, async () => {
    await Promise.all(
      Array.from({ length: count }, (_, i) => {
        const jobId = `${prefix}-${i}`;
        return gateway.temporal.workflow.start('referenceVideo', {
          workflowId: `reference-${jobId}`,
          taskQueue: 'reference-video',
          args: [jobId],
        });
      }),
    );
  });
}

async function measure(count: number, submitAll: () => Promise<void>): Promise<number> {
  const before = receiver.received.length;
  const startedAtMs = performance.now();
  await submitAll();
  await receiver.next(before + count);
  return (count * 1_000) / (performance.now() - startedAtMs);
}

/** Workers with the product's own settings, on queues of their own. */
async function startReference(product: Gateway, target: Receiver): Promise<{ stop(): Promise<void> }> {
  const connection = await NativeConnection.connect({ address: product.config.temporal.address });
  const local = product.config.providers('local');
  const activities = createReferenceActivities({
    upstreamUrl: local.baseUrl ?? '',
    upstreamKey: local.apiKey ?? '',
    receiverUrl: target.url,
    folder: await mkdtemp(path.join(tmpdir(), 'sluice-reference-')),
    database: product.database,
  });
  const shared = { connection, namespace: product.config.temporal.namespace, workflowBundle, activities };
  const workers = await Promise.all([
    Worker.create({ ...shared, taskQueue: 'reference-video', maxConcurrentActivityTaskExecutions: 100 }),
    Worker.create({ ...shared, taskQueue: 'reference-webhooks', maxConcurrentActivityTaskExecutions: 200 }),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  return {
    async stop() {
      for (const worker of workers) worker.shutdown();
      await running;
      await connection.close();
    },
  };
}
