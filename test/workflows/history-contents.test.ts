import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { FaultInput } from '../../upstream/faults.ts';
import { eventually } from '../support/eventually.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { deliveryEnded } from '../support/job-facts.ts';
import { ended, inStatus, submit, type WireJob } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { historyOf, historyText, pendingActivity, runClosed } from '../support/runs.ts';

/** Each would be a leak if it were found in what Temporal keeps and shows. */
const SECRETS = {
  prompt: 'a lighthouse made of basalt',
  callbackToken: 'callback-token-5310',
  user: 'customer-8861',
  session: 'session-2207',
  receiverBody: 'the receiver says 4417',
  vendorWords: 'the vendor repeats basalt 9123',
  resultUrl: 'result-signature-3391',
  prices: '"request"',
};

let gateway: Gateway;
let receiver: Receiver;
const jobs: WireJob[] = [];

beforeAll(async () => {
  receiver = await startReceiver({ status: 500, body: SECRETS.receiverBody }, { status: 204 });
  gateway = await startGateway({ worker: ALL_QUEUES });
});

afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

async function start(faults: FaultInput[]): Promise<WireJob> {
  const job = await submit(gateway, {
    prompt: SECRETS.prompt,
    user: SECRETS.user,
    session_id: SECRETS.session,
    callback_url: `${receiver.url}?token=${SECRETS.callbackToken}`,
    provider: { options: { local: { faults } } },
  });
  jobs.push(job);
  return job;
}

function failing(on: 'create' | 'retrieve' | 'delete' | 'content', status: number, times = 1): FaultInput {
  return { kind: 'status', on, status, times, message: `${SECRETS.prompt}: ${SECRETS.vendorWords}` };
}

/** The whole trouble that jobs can be in, each trouble with something in it that nobody else may read. */
test("jobs in four kinds of trouble end, and callers read the vendor's messages", async () => {
  const refused = await start([failing('create', 400)]);
  const failed = await start([{ kind: 'fail', message: SECRETS.vendorWords }]);
  const troubled = await start([
    failing('create', 500),
    failing('retrieve', 400),
    failing('retrieve', 500),
    failing('content', 404),
    { kind: 'redirect', location: `https://10.0.0.1/v.mp4?signature=${SECRETS.resultUrl}` },
  ]);
  const stubborn = await start([{ kind: 'stall' }, failing('delete', 500, 10)]);
  await inStatus(gateway, stubborn.id, 'in_progress');
  await gateway.call('POST', `/videos/${stubborn.id}/cancel`);
  for (const { id } of [refused, failed, troubled, stubborn]) await ended(gateway, id);
  expect((await ended(gateway, refused.id)).error).toContain(SECRETS.vendorWords);
  expect((await ended(gateway, failed.id)).error).toBe(SECRETS.vendorWords);
});

test('a job whose settlement fails in Postgres shows the error and completes later', async () => {
  await gateway.database.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'out of order'; end $$;
     create trigger refuse before insert on webhook_deliveries execute function refuse()`,
  );
  const job = await start([]);
  const pending = await eventually('the failure', async () => {
    const activity = await pendingActivity(gateway, job.id);
    return activity?.name === 'settleVideo' && activity.lastFailure ? activity : undefined;
  });
  expect(pending.lastFailure).toContain('out of order');
  await gateway.database.query('drop function refuse cascade');
  expect((await ended(gateway, job.id)).status).toBe('completed');
});

test("no history contains a prompt, URL, body, credential or vendor's message", async () => {
  const patterns = [...Object.values(SECRETS), 'http://', 'https://', 'whsec_', 'sk-slc-', 'upstream-key'];
  expect(jobs).toHaveLength(5);
  for (const { id } of jobs) {
    const delivery = await deliveryEnded(gateway, id);
    for (const workflowId of [id, `webhook-${delivery.id}`]) {
      await runClosed(gateway, workflowId);
      const text = historyText(await historyOf(gateway, workflowId));
      expect(text).toContain(id);
      expect(patterns.filter((pattern) => text.includes(pattern))).toEqual([]);
    }
  }
});
