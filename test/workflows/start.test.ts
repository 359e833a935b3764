import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Connection } from '@temporalio/client';
import { startApi } from '../../api/start-api.ts';
import { SCHEDULES, SEARCH_ATTRIBUTES } from '../../domain/runs.ts';
import { createLogger } from '../../platform/logger.ts';
import { connectTemporal } from '../../platform/temporal.ts';
import { ensureSchedules } from '../../worker/ensure-schedules.ts';
import { ensureSearchAttributes } from '../../worker/ensure-search-attributes.ts';
import { createCaller } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { deliveryEnded, factsOf } from '../support/job-facts.ts';
import { ended, getJob, submit } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { historyOf, runStarted } from '../support/runs.ts';

const logger = createLogger({ level: 'fatal', name: 'test' });
let gateway: Gateway;
let connection: Connection;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({
    searchAttributes: false,
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 },
  });
  connection = await connectTemporal(gateway.config.temporal);
});

afterAll(async () => {
  await connection.close();
  await gateway.close();
  await receiver.close();
});

function knownAttributes(): Promise<string[]> {
  return connection.operatorService
    .listSearchAttributes({ namespace: gateway.config.temporal.namespace })
    .then(({ customAttributes }) =>
      Object.keys(customAttributes).filter((name) => name.startsWith('Sluice')),
    );
}

describe('a job accepted without a worker and without search attributes on the server', () => {
  let jobId: string;

  test('starts without search attributes', async () => {
    expect(await knownAttributes()).toEqual([]);
    jobId = (await submit(gateway, { callback_url: receiver.url })).id;
    await runStarted(gateway, jobId);
    expect((await getJob(gateway, jobId)).status).toBe('pending');
    const { typedSearchAttributes } = await gateway.temporal.workflow.getHandle(jobId).describe();
    const ours = typedSearchAttributes.getAll().filter(({ key }) => key.name.startsWith('Sluice'));
    expect(ours).toEqual([]);
  });

  test('completes with its webhook once a worker starts, and sets no attribute', async () => {
    await gateway.startWorker();
    expect((await ended(gateway, jobId)).status).toBe('completed');
    const { id } = await deliveryEnded(gateway, jobId);
    for (const workflowId of [jobId, `webhook-${id}`]) {
      const events = await historyOf(gateway, workflowId);
      expect(events.some((event) => event.upsertWorkflowSearchAttributesEventAttributes)).toBe(false);
    }
    await gateway.stopWorker();
  });
});

test('a job that is accepted while Temporal cannot be reached is started by the sweep', async () => {
  const unreachable = { ...gateway.config.temporal, address: '127.0.0.1:1' };
  const api = await startApi({ ...gateway.config, temporal: unreachable }, logger);
  const caller = createCaller(`http://127.0.0.1:${api.port}`, gateway.apiKey);
  const { id } = await submit(caller);
  expect((await getJob(caller, id)).status).toBe('pending');
  for (const { run } of api.shutdownSteps) await run();
  await gateway.startWorker();
  expect((await ended(gateway, id)).status).toBe('completed');
  expect((await factsOf(gateway, id)).submissions).toEqual(['accepted']);
  await gateway.stopWorker();
});

describe('the search attributes and schedules that a worker ensures', () => {
  const intervals = { sweepRunMs: 3_600_000, expireMs: 600_000 };

  async function ensureAll(expireMs = intervals.expireMs): Promise<void> {
    const { namespace } = gateway.config.temporal;
    await ensureSearchAttributes({ connection, namespace, logger });
    await ensureSchedules(gateway.temporal, { ...intervals, expireMs });
  }

  async function everyMs(scheduleId: string): Promise<number> {
    const { spec } = await gateway.temporal.schedule.getHandle(scheduleId).describe();
    return Number(spec.intervals?.[0]?.every);
  }

  test('exist once when several workers ensure them at the same time', async () => {
    await Promise.all([ensureAll(), ensureAll()]);
    await ensureAll();
    expect((await knownAttributes()).toSorted()).toEqual(Object.values(SEARCH_ATTRIBUTES).toSorted());
    expect(await everyMs(SCHEDULES.sweeping)).toBe(3_600_000);
    expect(await everyMs(SCHEDULES.expireOutputs)).toBe(600_000);
  });

  test('return after the server lost them', async () => {
    for (const id of Object.values(SCHEDULES)) await gateway.temporal.schedule.getHandle(id).delete();
    await connection.operatorService.removeSearchAttributes({
      namespace: gateway.config.temporal.namespace,
      searchAttributes: [SEARCH_ATTRIBUTES.model, SEARCH_ATTRIBUTES.kind],
    });
    await ensureAll();
    expect(await knownAttributes()).toHaveLength(5);
    expect(await everyMs(SCHEDULES.sweeping)).toBe(3_600_000);
  });

  test('follow a changed interval and stay paused', async () => {
    const schedule = gateway.temporal.schedule.getHandle(SCHEDULES.expireOutputs);
    await schedule.pause('by an operator');
    await ensureAll(1_200_000);
    expect(await everyMs(SCHEDULES.expireOutputs)).toBe(1_200_000);
    expect((await schedule.describe()).state.paused).toBe(true);
  });

  test('let a run of the sweep start up to an hour late', async () => {
    const { policies } = await gateway.temporal.schedule.getHandle(SCHEDULES.sweeping).describe();
    expect(policies.catchupWindow).toBe(3_600_000);
  });
});
