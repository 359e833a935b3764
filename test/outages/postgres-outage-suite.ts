import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { QUEUES, WORKFLOWS } from '../../domain/runs.ts';
import { newToken } from '../../services/accounts/identity/key-token.ts';
import { createCaller, errorOf } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { expectBalancedBooks, expectCompletedOnce, expectEndedOnce } from '../support/expect-one-end.ts';
import { deliveryEnded, factsOf } from '../support/job-facts.ts';
import { ended, type WireJob } from '../support/jobs.ts';
import { runClosed } from '../support/runs.ts';
import type { Outage } from '../support/tcp-proxy.ts';
import { createPostgresScene, type PostgresScene } from './postgres-scene.ts';

const OUTAGE_MS = 10_000;

const UNAVAILABLE = {
  code: 503,
  message: 'Service temporarily unavailable',
  metadata: { reason: 'unavailable', retryable: true, retry_after_seconds: 5 },
};

let scene: PostgresScene;

/** Postgres is away for ten seconds while one job each is at every step. */
export function describePostgresOutage(outage: Outage): void {
  beforeAll(async () => {
    scene = await createPostgresScene();
  });
  afterAll(() => scene.close());

  describe('a POST whose commit is stored but not confirmed', () => describeLostCommit(outage));
  describe('requests during the outage', () => describeRequests(outage));
  describe('a job in flight during the outage', describeJobs);
}

function describeLostCommit(outage: Outage): void {
  const key = 'commit-unconfirmed';

  test('gets 503 with Retry-After 5', async () => {
    const cut = scene.proxy.cutAfter('commit\0', outage);
    const response = await scene.post(key);
    await cut;
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await errorOf(response)).toEqual(UNAVAILABLE);
  });

  test('creates one job, which a retry with the same key finds', async () => {
    await scene.proxy.restore();
    const again = await postUntilAnswered(key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const { id } = (await again.json()) as WireJob;
    await expectCompletedOnce(scene.gateway, scene.receiver, id);
    expect(await scene.jobsPostedWith(key)).toBe(1);
  });
}

function describeRequests(outage: Outage): void {
  const key = 'posted-during-the-outage';
  const answers = new Map<string, Response>();

  beforeAll(async () => {
    const letGo = await scene.bringJobsToTheirSteps();
    scene.proxy.cut(outage);
    const over = delay(OUTAGE_MS);
    await letGo();
    for (const [name, response] of Object.entries(askEverything(key))) answers.set(name, await response);
    await over;
    await scene.proxy.restore();
  });

  test.each(['post', 'read', 'cancel', 'deliveries', 'stranger'])(
    '%s gets the documented 503',
    async (name) => {
      expect(await errorOf(answers.get(name)!)).toEqual(UNAVAILABLE);
    },
  );

  test('healthz answers 200, and readyz answers 503 with the failed check', async () => {
    expect(answers.get('healthz')!.status).toBe(200);
    const readiness = answers.get('readyz')!;
    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toMatchObject({ checks: { postgres: 'failed', temporal: 'ok' } });
  });

  test('a POST that failed creates one job when it is repeated', async () => {
    const made = (await (await postUntilAnswered(key)).json()) as WireJob;
    const found = (await (await scene.post(key)).json()) as WireJob;
    expect(found.id).toBe(made.id);
    expect(await scene.jobsPostedWith(key)).toBe(1);
    await expectCompletedOnce(scene.gateway, scene.receiver, made.id);
  });
}

/** Every answer is held against the contract. The stranger's key is in no memory. */
function askEverything(key: string): Record<string, Promise<Response>> {
  const { origin, apiKey, managementKey } = scene.gateway;
  const caller = createCaller(origin, apiKey);
  const job = `/videos/${scene.jobs.get('polling')}`;
  return {
    post: scene.post(key),
    read: caller.call('GET', job),
    cancel: caller.call('POST', `${job}/cancel`),
    deliveries: createCaller(origin, managementKey).call('GET', '/webhooks/deliveries'),
    stranger: createCaller(origin, newToken().token).call('GET', '/videos'),
    readyz: fetch(`${origin}/readyz`),
    healthz: fetch(`${origin}/healthz`),
  };
}

async function postUntilAnswered(key: string): Promise<Response> {
  const answer = await eventually('an answer', async () => {
    const response = await scene.post(key);
    return response.status === 503 ? undefined : response;
  });
  expect(answer.status).toBe(202);
  return answer;
}

function describeJobs(): void {
  test.each(['submitting', 'accepting', 'polling', 'storing', 'settling', 'delivering', 'sweeping'])(
    'completes once from the step %s',
    async (step) => {
      await expectCompletedOnce(scene.gateway, scene.receiver, scene.jobs.get(step)!);
    },
  );

  test('completes once from the step accepting at a provider without idempotency', async () => {
    await expectCompletedOnce(scene.gateway, scene.receiver, scene.jobs.get('accepting, no promise')!);
  });

  test('ends as cancelled once from the step cancelling', async () => {
    const end = { status: 'cancelled', failureCode: 'cancelled' } as const;
    await expectEndedOnce(scene.gateway, scene.receiver, scene.jobs.get('cancelling')!, end);
  });

  test('has a stopped delivery with one attempt when its webhook is given up', async () => {
    expect(await deliveryEnded(scene.gateway, scene.jobs.get('giving up')!)).toMatchObject({
      status: 'stopped',
      replays: 0,
      attempts: ['0.1 failed 503'],
    });
  });

  test('loses its files at the next clean-up when their removal was interrupted', async () => {
    const { gateway } = scene;
    const jobId = scene.jobs.get('expiring')!;
    await runClosed(gateway, 'expiring');
    const run = { workflowId: 'expiring again', taskQueue: QUEUES.maintenance };
    await (await gateway.temporal.workflow.start(WORKFLOWS.expireOutputs, run)).result();
    const { rows } = await gateway.database.query(
      'select count(*)::int held from job_outputs where job_id = $1 and removed_at is null',
      [jobId],
    );
    expect(rows).toEqual([{ held: 0 }]);
    expect((await gateway.call('GET', `/videos/${jobId}/content`)).status).toBe(410);
  });

  test('gets a second submission after a refusal by a provider without idempotency', async () => {
    const jobId = scene.jobs.get('refusing, no promise')!;
    expect((await ended(scene.gateway, jobId)).status).toBe('completed');
    expect((await factsOf(scene.gateway, jobId)).submissions).toEqual(['refused', 'accepted']);
  });

  test('leaves balanced books', () => expectBalancedBooks(scene.gateway));
}
