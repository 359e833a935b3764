import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { SCHEDULES, SEARCH_ATTRIBUTES } from '../../domain/runs.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { eventually } from '../support/eventually.ts';
import { asked, expectBalancedBooks, expectCompletedOnce } from '../support/expect-one-end.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { type HeldReceiver, startHeldReceiver } from '../support/held-receiver.ts';
import { deliveryEnded, deliveryOf } from '../support/job-facts.ts';
import { getJob, inStatus, submit } from '../support/jobs.ts';
import { type Obstacle, raiseObstacle } from '../support/obstacle.ts';
import { type OwnTemporal, startOwnTemporal } from '../support/own-temporal.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const OUTAGE_MS = 5_000;

let temporal: OwnTemporal;
let gateway: Gateway;
let receiver: Receiver;
/** Job ids by their step when Temporal was killed. */
const jobs = new Map<string, string>();

beforeAll(async () => {
  receiver = await startReceiver();
  temporal = await startOwnTemporal();
  gateway = await startGateway({
    worker: ALL_QUEUES,
    namespace: temporal.namespace,
    env: { WEBHOOK_TIMEOUT: '60s' },
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000, unclaimedAfterMs: 2_000, setupIntervalMs: 1_000 },
  });
});

afterAll(async () => {
  await gateway.close();
  await temporal.close();
  await receiver.close();
});

async function start(step: string, faults: FaultInput[], callbackUrl = receiver.url): Promise<string> {
  const { id } = await submit(gateway, {
    callback_url: callbackUrl,
    provider: { options: { local: { faults } } },
  });
  jobs.set(step, id);
  return id;
}

function reached(target: string, jobId: string): Promise<unknown> {
  return eventually(`${target} of ${jobId}`, async () => asked(gateway, target, jobId)[0]);
}

/** One job each polling, storing and submitting, which the provider holds there for some seconds. */
async function bringToTheProvider(): Promise<void> {
  await inStatus(gateway, await start('polling', [{ kind: 'slow', ms: 10_000 }]), 'in_progress');
  await reached('content', await start('storing', [{ kind: 'delay', on: 'content', delayMs: 4_000 }]));
  await reached('create', await start('submitting', [{ kind: 'delay', on: 'create', delayMs: 4_000 }]));
}

/** Kills Temporal for some seconds. What is done meanwhile is done without it. */
async function outage(memory: 'same' | 'empty', meanwhile: () => Promise<void>): Promise<void> {
  await temporal.kill();
  const over = delay(OUTAGE_MS);
  await meanwhile();
  await over;
  await temporal.restart(memory);
}

describe('a Temporal that is killed and restarted with its data', () => {
  let slowReceiver: HeldReceiver;
  let obstacle: Obstacle;
  let readiness: Response;

  beforeAll(async () => {
    slowReceiver = await startHeldReceiver(receiver);
    const delivering = await start('delivering', [], slowReceiver.url);
    await eventually('the webhook', async () =>
      receiver.received.find(({ body }) => body.includes(delivering)),
    );
    obstacle = await raiseObstacle(gateway, gateway.config.database.url);
    await obstacle.table('generations');
    await start('settling', []);
    await obstacle.met('input as materialized');
    await bringToTheProvider();
    await outage('same', async () => {
      await obstacle.lift();
      slowReceiver.release();
      await start('posted', []);
      readiness = await fetch(`${gateway.origin}/readyz`);
    });
  });

  afterAll(() => slowReceiver.close());

  test('makes /readyz answer 503 with only temporal failed', async () => {
    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toMatchObject({ checks: { postgres: 'ok', temporal: 'failed' } });
  });

  test.each(['posted', 'submitting', 'polling', 'storing', 'settling', 'delivering'])(
    'a job that was %s completes once',
    async (step) => {
      await expectCompletedOnce(gateway, receiver, jobs.get(step)!);
    },
  );
});

describe('a Temporal that is restarted without its data', () => {
  let moody: Receiver;

  beforeAll(async () => {
    moody = await startReceiver({ status: 500, headers: { 'retry-after': '3600' } }, { status: 204 });
    const jobId = await start('between two attempts', [], moody.url);
    await eventually(
      'the first attempt',
      async () =>
        (await deliveryOf(gateway, jobId).catch(() => undefined))?.attempts[0] === '0.1 failed 500' ||
        undefined,
    );
    await bringToTheProvider();
    await outage('empty', async () => {
      await start('posted', []);
    });
  });

  afterAll(() => moody.close());

  test('gets its search attributes and schedules from the running worker', async () => {
    const { connection, namespace } = temporal.namespace;
    await eventually('the search attributes', async () => {
      const known = await connection.operatorService.listSearchAttributes({ namespace });
      const names = Object.values(SEARCH_ATTRIBUTES);
      return names.every((name) => known.customAttributes[name] !== undefined) || undefined;
    });
    for (const id of Object.values(SCHEDULES)) {
      await eventually(`schedule ${id}`, () =>
        gateway.temporal.schedule
          .getHandle(id)
          .describe()
          .catch(() => undefined),
      );
    }
  });

  test.each(['posted', 'submitting', 'polling', 'storing'])(
    'a job that was %s gets a new run and completes once',
    async (step) => {
      await expectCompletedOnce(gateway, receiver, jobs.get(step)!);
    },
  );

  test('a webhook between two attempts is delivered as a replay of the same event', async () => {
    const jobId = jobs.get('between two attempts')!;
    expect(await deliveryEnded(gateway, jobId)).toMatchObject({
      status: 'delivered',
      replays: 1,
      attempts: ['0.1 failed 500', '1.1 delivered 204'],
    });
    await expectCompletedOnce(gateway, moody, jobId);
  });

  test('a new job is found by its search attributes', async () => {
    const jobId = await start('afterwards', []);
    await expectCompletedOnce(gateway, receiver, jobId);
    const query = `${SEARCH_ATTRIBUTES.kind} = 'video' and WorkflowId = '${jobId}'`;
    await eventually('the run by its attributes', async () => {
      for await (const run of gateway.temporal.workflow.list({ query })) return run;
      return undefined;
    });
    expect((await getJob(gateway, jobId)).status).toBe('completed');
  });

  test('keeps ledger and counters equal', () => expectBalancedBooks(gateway));
});
