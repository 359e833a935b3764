/**
 * Records the histories that `test/workflows/replay.test.ts` replays, on the servers of
 * SLUICE_TEST_POSTGRES_URL and SLUICE_TEST_TEMPORAL_ADDRESS:
 *
 *   node test/support/record-histories.ts PREFIX
 *
 * Record before a workflow changes, under a new prefix: the old files stay, for they are the runs that may
 * still be open somewhere.
 */
import { writeFile } from 'node:fs/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { eventually } from './eventually.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { ended, inStatus, submit } from './jobs.ts';
import { startReceiver } from './receiver.ts';

const [prefix = 'v1'] = process.argv.slice(2);
const FOLDER = new URL('../histories/', import.meta.url);

const gateway = await startGateway();
const fine = await startReceiver();
const failsTwice = await startReceiver({ status: 500 }, { status: 503 }, { status: 204 });

const completed = await submit(gateway, { callback_url: fine.url });
await ended(gateway, completed.id);
await save(completed.id, 'completed');

const slow = { provider: { options: { local: { faults: [{ kind: 'slow', ms: 60_000 }] } } } };
const cancelled = await submit(gateway, { ...slow, callback_url: fine.url });
await inStatus(gateway, cancelled.id, 'in_progress');
await gateway.call('POST', `/videos/${cancelled.id}/cancel`);
await ended(gateway, cancelled.id);
await save(cancelled.id, 'cancelled');

const refused = {
  provider: { options: { local: { faults: [{ kind: 'status', on: 'create', status: 400 }] } } },
};
const failed = await submit(gateway, refused);
await ended(gateway, failed.id);
await save(failed.id, 'refused');

await gateway.database.query(`update endpoints set max_run_seconds = 5 where id = 'local/clip-canned@local'`);
await eventually('the new deadline', () => hasShortDeadline(gateway));
const expired = await submit(gateway, {
  provider: { options: { local: { faults: [{ kind: 'stall' }] } } },
  callback_url: fine.url,
});
await ended(gateway, expired.id);
await save(expired.id, 'expired');

const retried = await submit(gateway, { callback_url: failsTwice.url });
await ended(gateway, retried.id);
await failsTwice.next(3);
const { rows } = await gateway.database.query('select id from webhook_deliveries where job_id = $1', [
  retried.id,
]);
await save(`webhook-${(rows as { id: string }[])[0]!.id}`, 'webhook-retried');

await fine.close();
await failsTwice.close();
await gateway.close();

async function save(workflowId: string, name: string): Promise<void> {
  const handle = gateway.temporal.workflow.getHandle(workflowId);
  await handle.result();
  const { type } = await handle.describe();
  const json = historyToJSON(await handle.fetchHistory());
  await writeFile(new URL(`${prefix}-${type}-${name}.json`, FOLDER), `${json}\n`);
  process.stdout.write(`${prefix}-${type}-${name}.json\n`);
}

/** The worker reads the catalog again on a notice; a job shows whether it has. */
async function hasShortDeadline(target: Gateway): Promise<true | undefined> {
  const probe = await submit(target);
  await ended(target, probe.id);
  const { rows: found } = await target.database.query(
    `select 1 from video_jobs where id = $1 and deadline_at < submitted_at + interval '10 seconds'`,
    [probe.id],
  );
  return found.length > 0 ? true : undefined;
}
