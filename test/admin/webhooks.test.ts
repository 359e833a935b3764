import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runAdmin, type Ran } from '../support/admin.ts';
import { auditRows } from '../support/audit.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { listDeliveries, oneDelivery, type WireDelivery } from '../support/deliveries.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { submit } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { CLOSED_PORT } from '../support/replica.ts';

const HELP = 'See: npm run admin -- webhooks --help\n';
const UNKNOWN_DELIVERY = '4d1f6c55-0a7e-4a5c-9d6e-0a8f5f3f7b21';

let gateway: Gateway;
let receiver: Receiver;
let manager: Caller;

beforeAll(async () => {
  gateway = await startGateway({
    worker: ['maintenance', 'video', 'webhooks'],
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 },
  });
  receiver = await startReceiver();
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

const webhooks = (args: string[], env?: Record<string, string>): Promise<Ran> =>
  runAdmin(gateway, ['webhooks', ...args], env);

/** A delivery that arrived. */
async function delivered(): Promise<WireDelivery> {
  const { id } = await submit(createCaller(gateway.origin, gateway.apiKey), { callback_url: receiver.url });
  return oneDelivery(manager, `job_id=${id}&status=delivered`);
}

function arrivals({ event_id }: WireDelivery): number {
  return receiver.received.filter(({ headers }) => headers['webhook-id'] === event_id).length;
}

describe('admin webhooks', () => {
  test('replays a delivery by its id or its job, and lists every attempt', async () => {
    const delivery = await delivered();
    const byId = await webhooks(['replay', delivery.id]);
    expect(byId).toEqual({
      code: 0,
      stdout: `Replay 1 of ${delivery.id} (${delivery.event_id}) is started.\n`,
      stderr: '',
    });
    await oneDelivery(manager, `job_id=${delivery.job_id}&status=delivered`);
    const byJob = await webhooks(['replay', '--job', delivery.job_id!]);
    expect(byJob.stdout).toContain('Replay 2 of');
    await oneDelivery(manager, `job_id=${delivery.job_id}&status=delivered`);
    expect(arrivals(delivery)).toBe(3);

    const audited = { key_hash: null, action: 'replayWebhookDelivery', request_id: null };
    expect(await auditRows(gateway, `webhooks/deliveries/${delivery.id}`)).toMatchObject([audited, audited]);

    const { stdout } = await webhooks(['list', '--job', delivery.job_id!]);
    const [headings, facts, , columns, ...attempts] = stdout.trim().split('\n');
    expect(headings).toMatch(/^delivery +job +event +status +replays +url$/);
    expect(facts).toMatch(new RegExp(`^${delivery.id} .*completed +delivered +2 +http://127`));
    expect(columns).toMatch(/^replay +attempt +started at +outcome +status +reason$/);
    expect(attempts.map((line) => line.replaceAll(/\S+T\S+Z/g, 'then').split(/ +/))).toEqual(
      ['0', '1', '2'].map((replay) => [replay, '1', 'then', 'delivered', '204']),
    );
  });

  test('records a replay during a Temporal outage, and the sweep starts it', async () => {
    const delivery = await delivered();
    const { code, stdout } = await webhooks(['replay', delivery.id], { TEMPORAL_ADDRESS: CLOSED_PORT });
    expect(code).toBe(0);
    expect(stdout).toContain("Temporal did not start it. The worker's sweep starts it");
    await oneDelivery(manager, `job_id=${delivery.job_id}&status=delivered`);
    expect(arrivals(delivery)).toBe(2);
  });

  test('refuses to replay a delivery that is pending', async () => {
    const delivery = await delivered();
    await gateway.stopWorker();
    expect((await manager.call('POST', `/webhooks/deliveries/${delivery.id}/replay`)).status).toBe(202);
    const { code, stderr } = await webhooks(['replay', delivery.id]);
    expect([code, stderr]).toEqual([
      2,
      `${delivery.id} is still being attempted; there is nothing to replay.\n`,
    ]);
    const [pending] = await listDeliveries(manager, `job_id=${delivery.job_id}`);
    expect(pending).toMatchObject({ status: 'pending', replays: 1 });
    await gateway.startWorker();
  });

  test.each([
    [[], `webhooks: nothing was given where one of list, replay belongs. ${HELP}`],
    [['replay'], `webhooks: replay needs either DELIVERY or --job JOB. ${HELP}`],
    [['list', UNKNOWN_DELIVERY], `webhooks: "${UNKNOWN_DELIVERY}" is one argument too many. ${HELP}`],
    [['list'], `webhooks: --job is missing. ${HELP}`],
    [
      ['replay', UNKNOWN_DELIVERY, '--job', 'gen-vid-1'],
      `webhooks: replay needs either DELIVERY or --job JOB. ${HELP}`,
    ],
    [['replay', UNKNOWN_DELIVERY], 'There is no delivery with this id.\n'],
    [['replay', 'no-id'], 'There is no delivery with this id.\n'],
    [['list', '--job', 'gen-vid-1'], 'There is no delivery for this job.\n'],
  ])('refuses %j and says why', async (args, message) => {
    expect(await webhooks(args)).toEqual({ code: 2, stdout: '', stderr: message });
  });
});
