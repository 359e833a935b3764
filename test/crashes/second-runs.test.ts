import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WorkflowHandle } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { QUEUES, WORKFLOWS } from '../../domain/runs.ts';
import type { FaultInput } from '../../upstream/faults.ts';
import { addVideoModel } from '../support/catalog.ts';
import { eventually } from '../support/eventually.ts';
import { asked, expectBalancedBooks, expectCompletedOnce } from '../support/expect-one-end.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { factsOf } from '../support/job-facts.ts';
import { inStatus, submit } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { runClosed } from '../support/runs.ts';

/** What Temporal cannot know: that a job has, or had, a run that it has forgotten or knows by another name. */
const SECOND = { status: 'not_claimed' };

let gateway: Gateway;
let receiver: Receiver;
/** A job that completed, whose run Temporal takes its time to forget. */
let completed: string;
let forgotten: Promise<void>;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({
    worker: ALL_QUEUES,
    env: { PROVIDER_PLAIN_API_KEY: 'upstream-key', JOB_SUBMIT_TIMEOUT: '5s' },
  });
  await addVideoModel(gateway, 'test/plain', [{ provider: 'plain', adapter: 'openai-compatible' }]);
  completed = await start([]);
  await expectCompletedOnce(gateway, receiver, completed);
  forgotten = forget(completed);
});

afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

async function start(faults: FaultInput[], model = 'local/clip-canned', provider = 'local'): Promise<string> {
  const options = { [provider]: { faults } };
  const { id } = await submit(gateway, { model, callback_url: receiver.url, provider: { options } });
  return id;
}

function startRun(jobId: string, workflowId: string): Promise<WorkflowHandle> {
  const { workspaceId } = gateway;
  return gateway.temporal.workflow.start(WORKFLOWS.generateVideo, {
    workflowId,
    taskQueue: QUEUES.video,
    args: [{ jobId, workspaceId, model: 'local/clip-canned', provider: 'local' }],
  });
}

/** What retention does, some days after the end of a run. */
async function forget(workflowId: string): Promise<void> {
  await runClosed(gateway, workflowId);
  const { namespace } = gateway.config.temporal;
  const { connection, workflow } = gateway.temporal;
  await connection.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } });
  await eventually(`${workflowId} being forgotten`, async () => {
    const described = await workflow
      .getHandle(workflowId)
      .describe()
      .catch((error: unknown) => error);
    return described instanceof WorkflowNotFoundError ? true : undefined;
  });
}

/** Waits until the first run's submission is at the provider, and not yet answered. */
function submitting(jobId: string): Promise<unknown> {
  return eventually(`the submission of ${jobId}`, async () => asked(gateway, 'create', jobId)[0]);
}

describe('a second run of a job', () => {
  test('ends without effect when the first one polls', async () => {
    const jobId = await start([{ kind: 'slow', ms: 3_000 }]);
    await inStatus(gateway, jobId, 'in_progress');
    expect(await (await startRun(jobId, `${jobId}-second`)).result()).toEqual(SECOND);
    await expectCompletedOnce(gateway, receiver, jobId);
    expect(asked(gateway, 'create', jobId)).toHaveLength(1);
  });

  test('finds the upstream job of a first one that submits with an idempotency key', async () => {
    const jobId = await start([{ kind: 'delay', on: 'create', delayMs: 2_000 }]);
    await submitting(jobId);
    const second = await startRun(jobId, `${jobId}-second`);
    for (const run of [jobId, second.workflowId]) expect(await runClosed(gateway, run)).toBe('COMPLETED');
    await expectCompletedOnce(gateway, receiver, jobId);
  });

  test('waits for a first one that submits without an idempotency key', async () => {
    const jobId = await start([{ kind: 'delay', on: 'create', delayMs: 2_000 }], 'test/plain', 'plain');
    await submitting(jobId);
    const second = await startRun(jobId, `${jobId}-second`);
    await expectCompletedOnce(gateway, receiver, jobId);
    expect(await second.result()).toEqual(SECOND);
    expect(asked(gateway, 'create', jobId)).toHaveLength(1);
  });

  test('ends without effect under the same id after Temporal deleted the first one', async () => {
    const before = await factsOf(gateway, completed);
    await forgotten;
    expect(await (await startRun(completed, completed)).result()).toEqual(SECOND);
    expect(await factsOf(gateway, completed)).toEqual(before);
    await expectCompletedOnce(gateway, receiver, completed);
    expect(asked(gateway, 'create', completed)).toHaveLength(1);
  });
});

test('the counters agree with the ledger after all second runs, and nothing is reserved', async () => {
  await expectBalancedBooks(gateway);
});
