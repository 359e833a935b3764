/** Measures how long a burst of new video jobs delays the jobs that already run. */
import { startApiProcess } from '../../test/support/api-process.ts';
import { eventually } from '../../test/support/eventually.ts';
import { startGateway } from '../../test/support/gateway.ts';
import { inStatus, submit } from '../../test/support/jobs.ts';
import { type Receiver, startReceiver } from '../../test/support/receiver.ts';
import { createWorkerProcesses } from '../../test/support/worker-processes.ts';
import { startLoadProcess } from '../load-process.ts';
import { median, renderTable, spread } from '../table.ts';

/**
 * The running jobs at the start of the burst, the jobs of the burst, the pairs of rounds, and the provider's seconds
 * per running job. A real provider takes far longer, but the default is longer than the start of all jobs takes.
 */
const [running = 60, burst = 500, rounds = 5, providerSeconds = 10] = process.argv.slice(2).map(Number);

const gateway = await startGateway();
const workers = createWorkerProcesses(gateway);
const api = await startApiProcess(gateway);
const worker = await workers.start();
const receiver = await startReceiver();
const client = await startLoadProcess();

await round(10, 0);
const withoutBurst: number[] = [];
const withBurst: number[] = [];
for (let n = 1; n <= rounds; n += 1) {
  withoutBurst.push(await round(running, 0));
  withBurst.push(await round(running, burst));
  process.stdout.write(`round ${n} of ${rounds} done\n`);
}
await worker.kill();
await workers.close();
await api.kill();
client.close();
await gateway.close();
await receiver.close();

const ratios = withBurst.map((seconds, i) => seconds / withoutBurst[i]!);
process.stdout.write(
  `\n${running} running jobs, a burst of ${burst}, ${providerSeconds} s at the provider, ${rounds} rounds\n\n${renderTable(
    ['seconds until all running jobs were reported to their customer', 'min', 'median', 'max'],
    [
      ['without a burst', ...spread(withoutBurst, 1)],
      ['with a burst', ...spread(withBurst, 1)],
      ['ratio', ...spread(ratios, 2)],
    ],
  )}\n\nmedian ratio ${median(ratios).toFixed(2)}; the bar is 1.20\n`,
);

/**
 * Returns the seconds from the start of the burst to the last webhook of the running jobs. The burst starts when all of
 * them run.
 */
async function round(jobs: number, burstJobs: number): Promise<number> {
  const faults = [{ kind: 'slow', ms: providerSeconds * 1_000 }];
  const provider = { options: { local: { faults } } };
  const cohort = await Promise.all(
    Array.from({ length: jobs }, () => submit(gateway, { callback_url: receiver.url, provider })),
  );
  for (const { id } of cohort) await inStatus(gateway, id, 'in_progress');
  const startedAtMs = performance.now();
  const accepted = burstJobs === 0 ? Promise.resolve(0) : sendBurst(burstJobs);
  await webhooksReceived(receiver, new Set(cohort.map(({ id }) => id)));
  const seconds = (performance.now() - startedAtMs) / 1_000;
  await accepted;
  await drained();
  return seconds;
}

/**
 * Sends the burst from another process, because this one is the provider and the webhook receiver of the running jobs.
 */
function sendBurst(requests: number): Promise<number> {
  return client.send({
    url: `${api.origin}/api/v1/videos`,
    headers: { authorization: `Bearer ${gateway.apiKey}` },
    body: JSON.stringify({ model: 'local/clip-canned', prompt: 'a burst' }),
    connections: 32,
    requests,
    expectedStatus: 202,
  });
}

async function webhooksReceived({ received }: Receiver, ids: Set<string>): Promise<void> {
  let seen = 0;
  await eventually('the webhooks of all running jobs', async () => {
    for (; seen < received.length; seen += 1) {
      const { data } = JSON.parse(received[seen]!.body) as { data: { id: string } };
      ids.delete(data.id);
    }
    return ids.size === 0 ? true : undefined;
  });
}

async function drained(): Promise<void> {
  await eventually('the end of all jobs', async () => {
    const { rows } = await gateway.database.query(
      `select 1 from video_jobs where status in ('pending', 'in_progress') limit 1`,
    );
    return rows.length === 0 ? true : undefined;
  });
}
