import { QUEUES, WORKFLOWS } from '../../domain/runs.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { createCaller } from '../support/caller.ts';
import { addVideoModel } from '../support/catalog.ts';
import { eventually } from '../support/eventually.ts';
import { asked } from '../support/expect-one-end.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { type HeldReceiver, startHeldReceiver } from '../support/held-receiver.ts';
import { deliveryOf } from '../support/job-facts.ts';
import { inStatus, submit } from '../support/jobs.ts';
import { raiseObstacle } from '../support/obstacle.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

/** A gateway whose way to Postgres can be cut, and one job for every step that a cut may meet. */
export interface PostgresScene {
  gateway: Gateway;
  receiver: Receiver;
  proxy: TcpProxy;
  /** Job ids by their step. */
  jobs: Map<string, string>;
  post(idempotencyKey: string): Promise<Response>;
  jobsPostedWith(idempotencyKey: string): Promise<number>;
  /**
   * What holds a job at its step is its provider, its receiver, or a lock that the test holds on what the step
   * writes. Resolves with what takes the test's own hands off.
   */
  bringJobsToTheirSteps(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export async function createPostgresScene(): Promise<PostgresScene> {
  const receiver = await startReceiver();
  const held = await startHeldReceiver(receiver);
  const refusing = await startReceiver({ status: 503, headers: { 'retry-after': '3600' } });
  const proxy = await startTcpProxy(process.env['SLUICE_TEST_POSTGRES_URL'] ?? '');
  let directUrl = '';
  const gateway = await startGateway({
    worker: ALL_QUEUES,
    databaseUrl(direct) {
      directUrl = direct;
      return proxy.through(direct);
    },
    env: {
      DATABASE_STATEMENT_TIMEOUT: '3s',
      WEBHOOK_TIMEOUT: '60s',
      PROVIDER_PLAIN_API_KEY: 'upstream-key',
    },
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000, unclaimedAfterMs: 2_000 },
  });
  await addVideoModel(gateway, 'test/plain', [{ provider: 'plain', adapter: 'openai-compatible' }]);
  const jobs = new Map<string, string>();
  return {
    gateway,
    receiver,
    proxy,
    jobs,
    post(key) {
      const body = { model: 'local/clip-canned', prompt: 'a test', callback_url: receiver.url };
      const headers = { 'idempotency-key': key };
      return createCaller(gateway.origin, gateway.apiKey).call('POST', '/videos', { body, headers });
    },
    async jobsPostedWith(key) {
      const question = 'select from remembered_answers where key = $1';
      return (await gateway.database.query(question, [key])).rowCount ?? 0;
    },
    bringJobsToTheirSteps: () =>
      bringJobsToTheirSteps({ gateway, receiver, held, refusing, jobs, directUrl }),
    async close() {
      await proxy.restore();
      await gateway.close();
      await proxy.close();
      await held.close();
      await refusing.close();
      await receiver.close();
    },
  };
}

interface Stage {
  gateway: Gateway;
  receiver: Receiver;
  held: HeldReceiver;
  /** A receiver that asks for an hour's patience. */
  refusing: Receiver;
  jobs: Map<string, string>;
  directUrl: string;
}

async function start(
  { gateway, receiver, jobs }: Stage,
  step: string,
  faults: FaultInput[],
  { model = 'local/clip-canned', provider = 'local', callbackUrl = receiver.url } = {},
): Promise<string> {
  const options = { [provider]: { faults } };
  const { id } = await submit(gateway, { model, callback_url: callbackUrl, provider: { options } });
  jobs.set(step, id);
  return id;
}

async function bringJobsToTheirSteps(stage: Stage): Promise<() => Promise<void>> {
  const { gateway, receiver, held, directUrl } = stage;
  const delivering = await start(stage, 'delivering', [], { callbackUrl: held.url });
  await eventually('the webhook', async () =>
    receiver.received.find(({ body }) => body.includes(delivering)),
  );
  await start(stage, 'expiring', []);
  await start(stage, 'giving up', [], { callbackUrl: stage.refusing.url });
  for (const step of ['expiring', 'giving up']) await inStatus(gateway, stage.jobs.get(step)!, 'completed');
  await eventually('a refused webhook', async () => stage.refusing.received[0]);
  const polling = await start(stage, 'polling', [{ kind: 'slow', ms: 20_000 }]);
  const sweeping = await start(stage, 'sweeping', [{ kind: 'slow', ms: 20_000 }]);
  for (const id of [polling, sweeping]) await inStatus(gateway, id, 'in_progress');

  const obstacle = await raiseObstacle(gateway, directUrl);
  await obstacle.table('generations');
  await start(stage, 'settling', []);
  await obstacle.met('input as materialized');

  await awaitProvider(stage);
  // Also what keeps the provider's answers from being recorded before the cut, however slow this machine is.
  await obstacle.table('job_submissions');
  await obstacle.table('job_outputs');
  await start(stage, 'submitting', []);
  await obstacle.met('job_submissions');
  await expire(stage);
  await obstacle.met('set removed_at');
  await obstacle.table('webhook_deliveries');
  const { id } = await deliveryOf(gateway, stage.jobs.get('giving up')!);
  await gateway.temporal.workflow.getHandle(`webhook-${id}`).cancel();
  await obstacle.met('webhook_deliveries');
  // After the tables: a statement that waits for this row may hold one of them, and the two would wait for each other.
  await gateway.temporal.workflow.getHandle(sweeping).terminate('test');
  await obstacle.job(sweeping);
  await obstacle.met('set run_id = null');
  return async () => {
    await obstacle.lift();
    held.release();
  };
}

/** What the clean-up's schedule starts, for the files of a job that are kept no longer. */
async function expire({ gateway, jobs }: Stage): Promise<void> {
  await gateway.database.query('update video_jobs set outputs_expire_at = now() where id = $1', [
    jobs.get('expiring'),
  ]);
  const run = { workflowId: 'expiring', taskQueue: QUEUES.maintenance };
  await gateway.temporal.workflow.start(WORKFLOWS.expireOutputs, run);
}

/** Jobs that wait for their provider, which answers some seconds later: then there is no Postgres. */
async function awaitProvider(stage: Stage): Promise<void> {
  const late = { delayMs: 4_000 };
  const plain = { model: 'test/plain', provider: 'plain' };
  const cancelling = await start(stage, 'cancelling', [
    { kind: 'stall' },
    { kind: 'delay', on: 'delete', ...late },
  ]);
  await inStatus(stage.gateway, cancelling, 'in_progress');
  const storing = await start(stage, 'storing', [{ kind: 'delay', on: 'content', ...late }]);
  await reached(stage, 'content', storing);
  for (const [step, options] of Object.entries({ accepting: {}, 'accepting, no promise': plain })) {
    await reached(
      stage,
      'create',
      await start(stage, step, [{ kind: 'delay', on: 'create', ...late }], options),
    );
  }
  await stage.gateway.call('POST', `/videos/${cancelling}/cancel`);
  await reached(stage, 'delete', cancelling);
  // Not with the job, which would bring it along to its next submission.
  stage.gateway.upstream.addFaults({ kind: 'status', on: 'create', status: 429, ...late });
  await reached(stage, 'create', await start(stage, 'refusing, no promise', [], plain));
}

function reached({ gateway }: Stage, target: string, jobId: string): Promise<unknown> {
  return eventually(`${target} of ${jobId}`, async () => asked(gateway, target, jobId)[0]);
}
