import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  broadcastWorkflowId,
  directoryWorkflowId,
  QUEUES,
  validationWorkflowId,
  WORKFLOWS,
} from '../../domain/runs.ts';
import { generationsIn } from '../support/broadcast-scene.ts';
import { type Caller, createCaller } from '../support/caller.ts';
import { makeDestination } from '../support/destinations.ts';
import { eventually } from '../support/eventually.ts';
import { expectBalancedBooks, expectCompletedOnce } from '../support/expect-one-end.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { deliveryEnded } from '../support/job-facts.ts';
import { ended, submit } from '../support/jobs.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { addOutdatedRecords, isLeft, SHORT_RETENTION, UPKEEP } from '../support/outdated-records.ts';
import { addDraft } from '../support/own-resources.ts';
import { ENTITLED } from '../support/private-endpoints.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { CLOSED_PORT, type Replica, startReplica } from '../support/replica.ts';
import { runClosed } from '../support/runs.ts';
import { type ScimSource, somePeople, startScimSource } from '../support/scim-source.ts';
import { beginFirstSync, stagedRows, synced, syncJobEnded } from '../support/syncs.ts';
import { createWorkerProcesses, type HoldPoint, type WorkerProcesses } from '../support/worker-processes.ts';

/**
 * Two worker processes, killed by SIGKILL at once while a run of each workflow is in the middle of a step: one process
 * has fewer slots for maintenance than there are such workflows. The worker of this process goes on. The suites of
 * test/crashes kill workers at every step.
 */
const PEOPLE = 5;
/** Workflows that a schedule starts. A failed run is not repeated: the next one does its work. */
const SCHEDULED = [...UPKEEP, WORKFLOWS.expireOutputs] as const;
type Scheduled = (typeof SCHEDULED)[number];

let gateway: Gateway;
let manager: Caller;
let workers: WorkerProcesses;
let receiver: Receiver;
let tool: Receiver;
let source: ScimSource;
let server: ModelServer;
/** An API that cannot reach Temporal, so that only the sweep can start its jobs. */
let cutOff: Replica;

let stored: string;
let delivered: string;
let swept: string;
let generation: string;
let syncJob: string;
let validation: { workflowId: string; answer: Promise<Response> };

beforeAll(async () => {
  [receiver, tool, source, server] = await Promise.all([
    startReceiver(),
    startReceiver(),
    startScimSource(),
    startModelServer(),
  ]);
  source.people = somePeople(PEOPLE);
  gateway = await startGateway({
    bootstrap: ENTITLED,
    env: SHORT_RETENTION,
    times: { sweepIntervalMs: 1_000, sweepGraceMs: 1_000 },
  });
  manager = createCaller(gateway.origin, gateway.managementKey);
  cutOff = await startReplica(gateway, ({ temporal }) => ({
    temporal: { ...temporal, address: CLOSED_PORT },
  }));
  workers = createWorkerProcesses(gateway);
  const points = holdPoints(await beginRuns());
  const doomed = await workers.start(Object.values(points), {}, { WORKER_QUEUES: QUEUES.maintenance });
  await doomed.reached();
  await doomed.kill();
  await gateway.startWorker();
});

afterAll(async () => {
  await validation.answer;
  await workers.close();
  await cutOff.close();
  await gateway.close();
  for (const each of [receiver, tool, source, server]) await each.close();
});

/** Begins a run of each workflow while no worker is there. Returns the id of the destination. */
async function beginRuns(): Promise<string> {
  const callback = { callback_url: receiver.url };
  const { id } = await makeDestination(manager, { config: { url: tool.url } });
  ({ id: stored } = await submit(gateway, callback));
  ({ id: delivered } = await submit(gateway, callback));
  ({ id: swept } = await submit(createCaller(cutOff.origin, gateway.apiKey), callback));
  syncJob = await beginFirstSync(manager, source);
  validation = await beginValidation();
  const body = { model: 'local/echo-1', messages: [{ role: 'user', content: 'Hello' }] };
  const chat = await gateway.call('POST', '/chat/completions', { body });
  await chat.text();
  generation = chat.headers.get('x-generation-id')!;
  await addOutdatedRecords(gateway);
  for (const workflow of SCHEDULED) await startScheduled(workflow, workflow);
  return id;
}

function startScheduled(workflow: Scheduled, workflowId: string) {
  return gateway.temporal.workflow.start(workflow, { workflowId, taskQueue: QUEUES.maintenance });
}

/** Returns where a worker dies, for each workflow but the one that only the previous version starts. */
function holdPoints(destinationId: string): Record<Exclude<keyof typeof WORKFLOWS, 'sweep'>, HoldPoint> {
  const scheduled = (workflowId: Scheduled, activity: HoldPoint['activity']): HoldPoint => {
    return { activity, at: 'before', workflowId };
  };
  return {
    generateVideo: { activity: 'storeVideoOutputs', at: 'after', workflowId: stored },
    deliverWebhook: { activity: 'attemptWebhook', at: 'after' },
    deliverBroadcast: {
      activity: 'pumpDestination',
      at: 'before',
      workflowId: broadcastWorkflowId(destinationId),
    },
    syncDirectory: {
      activity: 'applyDirectory',
      at: 'after',
      workflowId: directoryWorkflowId(gateway.organizationId),
    },
    validatePrivateEndpoint: {
      activity: 'checkPrivateEndpoint',
      at: 'before',
      workflowId: validation.workflowId,
    },
    keepSweeping: { activity: 'sweepRepeatedly', at: 'before' },
    expireOutputs: scheduled('expireOutputs', 'expireOutputsPage'),
    forgetAnswers: scheduled('forgetAnswers', 'forgetAnswersPage'),
    expireBodies: scheduled('expireBodies', 'expireBodiesPage'),
    keepPartitions: scheduled('keepPartitions', 'keepLedgerPartitions'),
    closeRankings: scheduled('closeRankings', 'closeRankingsDay'),
    applyRetention: scheduled('applyRetention', 'deleteEndedDeliveriesPage'),
  };
}

async function beginValidation(): Promise<typeof validation> {
  const endpointId = await addDraft(gateway, { base_url: server.baseUrl });
  const body = { workspace_id: gateway.workspaceId };
  const answer = manager.call('POST', `/private-endpoints/${endpointId}/validate`, { body });
  const id = await eventually('the row of the validation', async () => {
    const { rows } = await gateway.database.query<{ id: string }>(
      'select id from private_endpoint_validations',
    );
    return rows[0]?.id;
  });
  return { workflowId: validationWorkflowId(endpointId, id), answer };
}

describe('a run whose worker is killed', () => {
  test('generateVideo completes the job once when its files were stored already', async () => {
    await expectCompletedOnce(gateway, receiver, stored);
  });

  test('deliverWebhook counts an answered attempt once', async () => {
    await expectCompletedOnce(gateway, receiver, delivered);
    const { status, attempts } = await deliveryEnded(gateway, delivered);
    expect([status, attempts]).toEqual(['delivered', ['0.1 delivered 204']]);
  });

  test('keepSweeping starts a job that the API could not start', async () => {
    await expectCompletedOnce(gateway, receiver, swept);
  });

  test('deliverBroadcast delivers a generation that it had not read', async () => {
    await eventually('the generation', async () => {
      return tool.received.some(({ body }) => generationsIn(body).includes(generation)) || undefined;
    });
  });

  test('syncDirectory adds each person once after its answer was lost', async () => {
    expect(await syncJobEnded(manager, syncJob)).toMatchObject({
      status: 'succeeded',
      counts: { people_read: PEOPLE, members_added: PEOPLE },
    });
  });

  test('validatePrivateEndpoint fails without calling the server when its worker dies before the checks', async () => {
    expect(await runClosed(gateway, validation.workflowId)).toBe('COMPLETED');
    const { rows } = await gateway.database.query('select state from private_endpoint_validations');
    expect(rows).toEqual([{ state: 'failed' }]);
    expect(server.received).toEqual([]);
  });

  test.each(UPKEEP)('%s fails, and the next run does its work', async (workflow) => {
    expect(await runClosed(gateway, workflow)).toBe('FAILED');
    await (await startScheduled(workflow, `${workflow} again`)).result();
    expect(await isLeft(gateway, workflow)).toBe(false);
  });

  test('expireOutputs fails, and the next run removes the file of an expired output', async () => {
    expect(await runClosed(gateway, WORKFLOWS.expireOutputs)).toBe('FAILED');
    await ended(gateway, stored);
    await gateway.database.query('update video_jobs set outputs_expire_at = now() where id = $1', [stored]);
    await (await startScheduled(WORKFLOWS.expireOutputs, 'expireOutputs again')).result();
    const { rows } = await gateway.database.query(
      'select removed_at is not null removed from job_outputs where job_id = $1',
      [stored],
    );
    expect(rows).toEqual([{ removed: true }]);
  });

  test('leaves counters that agree with the ledger, and no reservation', async () => {
    await expectBalancedBooks(gateway);
  });
});

describe('a run whose worker lives', () => {
  test('syncDirectory adds the person who is new at the source', async () => {
    expect(await stagedRows(gateway)).toBe(0);
    source.people = somePeople(PEOPLE + 1);
    expect(await synced(manager)).toMatchObject({ status: 'succeeded', counts: { members_added: 1 } });
  });

  test('keepSweeping sweeps until its time is over', async () => {
    const workflowId = 'a short time';
    const options = { workflowId, taskQueue: QUEUES.maintenance, args: [{ forMs: 0 }] };
    expect(await gateway.temporal.workflow.execute(WORKFLOWS.keepSweeping, options)).toMatchObject({
      sweeps: 1,
      failed: 0,
    });
  });
});
