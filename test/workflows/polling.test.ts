import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SIGNALS } from '../../domain/runs.ts';
import type { FaultInput } from '../../providers/local/upstream/faults.ts';
import { addVideoModel } from '../support/catalog.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { factsOf } from '../support/job-facts.ts';
import { ended, inStatus, submit, type WireJob } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { historyOf, pendingActivity } from '../support/runs.ts';

const POLLS = 20;
const SLOW: FaultInput = { kind: 'slow', ms: (POLLS + 4) * 1_000 };
const SILENT: FaultInput = { kind: 'hang', on: 'retrieve', times: 100 };

/** Jobs by what their provider does; all run at once, since most of them wait for most of their time. */
const SCENARIOS = {
  polledLong: [SLOW],
  polledLongWithCallback: [SLOW],
  polledLongThenCancelled: [{ kind: 'stall' }],
  vanishes: [{ kind: 'vanish', afterRetrieves: 0 }],
  vanishesNowAndThen: [
    { kind: 'slow', ms: 4_500 },
    { kind: 'status', on: 'retrieve', status: 404, times: 2 },
    { kind: 'delay', on: 'retrieve' },
    { kind: 'status', on: 'retrieve', status: 404, times: 2 },
  ],
  'answers 500': [{ kind: 'status', on: 'retrieve', status: 500, times: 3 }],
  'cuts the connection': [{ kind: 'drop', on: 'retrieve', times: 3 }],
  'answers garbage': [{ kind: 'garbage', on: 'retrieve', times: 3 }],
  'is silent': [{ kind: 'hang', on: 'retrieve' }],
  fails: [{ kind: 'fail', message: 'The sky is missing.' }],
  cancels: [{ kind: 'cancel' }],
  expires: [{ kind: 'expire' }],
} satisfies Record<string, FaultInput[]>;

/** On a model whose jobs may run for six seconds. */
const TOO_LATE = {
  'never finishes': [{ kind: 'stall' }],
  'falls silent': [{ kind: 'stall' }, SILENT],
  'is down': [{ kind: 'stall' }, { kind: 'status', on: 'retrieve', status: 503, times: 100 }],
} satisfies Record<string, FaultInput[]>;

type Scenario = keyof typeof SCENARIOS | keyof typeof TOO_LATE;

let gateway: Gateway;
let receiver: Receiver;
const jobs = new Map<string, WireJob>();

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({ env: { JOB_CHECK_TIMEOUT: '2s' } });
  await addVideoModel(gateway, 'test/short', [{ provider: 'local', maxRunSeconds: 6 }]);
  for (const [name, faults] of Object.entries(SCENARIOS)) jobs.set(name, await start(faults));
  for (const [name, faults] of Object.entries(TOO_LATE)) jobs.set(name, await start(faults, 'test/short'));
});

afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

function start(faults: FaultInput[], model = 'local/clip-canned'): Promise<WireJob> {
  return submit(gateway, { model, callback_url: receiver.url, provider: { options: { local: { faults } } } });
}

function endOf(scenario: Scenario): Promise<WireJob> {
  return ended(gateway, jobs.get(scenario)!.id);
}

function asked(target: string, { id }: WireJob) {
  return gateway.upstream.requests(target).filter(({ requestId }) => requestId === id);
}

async function webhookType({ id }: WireJob): Promise<string> {
  const webhook = await eventually(`the webhook of ${id}`, async () =>
    receiver.received.find(({ body }) => body.includes(id)),
  );
  return (JSON.parse(webhook.body) as { type: string }).type;
}

describe('while the provider works', () => {
  test('a callback cuts one wait short, and the next one begins', async () => {
    const { id } = jobs.get('polledLongWithCallback')!;
    await polled(id, 2);
    await gateway.temporal.workflow.getHandle(id).signal(SIGNALS.providerCallback);
    await polled(id, 4);
  });

  test('the UI shows how often it was asked, its last word, and what the job waits for', async () => {
    const { id } = await start([{ kind: 'slow', ms: 4_000 }]);
    const pending = await eventually('a second check', async () => {
      const activity = await pendingActivity(gateway, id);
      return activity?.name === 'checkVideoStatus' && activity.attempt >= 2 ? activity : undefined;
    });
    expect(pending.lastFailure).toMatch(/^the provider says: in_progress \(\d+ %\)$/);
    const metadata = await gateway.temporal.workflow.getHandle(id).query('__temporal_workflow_metadata');
    expect(metadata).toMatchObject({
      currentDetails: expect.stringContaining('Waiting for local to finish'),
    });
    const seen = await eventually('progress in the row', async () => {
      const { rows } = await gateway.database.query(
        'select upstream_word word from video_jobs where id = $1 and upstream_progress > 0',
        [id],
      );
      return (rows as { word: string }[])[0];
    });
    expect(['in_progress', 'completed']).toContain(seen.word);
    expect((await ended(gateway, id)).status).toBe('completed');
  });

  test('a callback of the provider cuts the wait short', async () => {
    const { id } = await start([{ kind: 'status', on: 'retrieve', status: 429, retryAfter: '600' }]);
    await eventually('the long wait', async () =>
      (await pendingActivity(gateway, id))?.lastFailure === 'rate_limited (429)' ? true : undefined,
    );
    await gateway.temporal.workflow.getHandle(id).signal(SIGNALS.providerCallback);
    expect((await ended(gateway, id)).status).toBe('completed');
  });

  test('a callback in the middle of a check that finds nothing new does not end the job', async () => {
    const job = await start([
      { kind: 'slow', ms: 3_000 },
      { kind: 'delay', on: 'retrieve', delayMs: 1_000, times: 2 },
    ]);
    await eventually('a check in flight', async () => asked('retrieve', job).find(({ outcome }) => !outcome));
    await gateway.temporal.workflow.getHandle(job.id).signal(SIGNALS.providerCallback);
    expect((await ended(gateway, job.id)).status).toBe('completed');
  });
});

describe('a check that fails', () => {
  test('three 404 in a row are final', async () => {
    const job = await endOf('vanishes');
    expect(await factsOf(gateway, job.id)).toMatchObject({
      status: 'failed',
      failureCode: 'provider_vanished',
      generations: [{ status: 'failed', costNanos: '0' }],
    });
    expect(asked('retrieve', job)).toHaveLength(3);
    expect(await webhookType(job)).toBe('video.generation.failed');
  });

  test('two 404, an answer, and two more are not', async () => {
    expect((await endOf('vanishesNowAndThen')).status).toBe('completed');
  });

  test.each([
    ['answers 500', 3],
    ['cuts the connection', 3],
    ['answers garbage', 3],
    ['is silent', 1],
  ] as const)('because the provider %s is made again', async (scenario, failures) => {
    const job = await endOf(scenario);
    expect(job.status).toBe('completed');
    expect(asked('retrieve', job)).toHaveLength(failures + 1);
  });
});

test('a cancel while the provider is silent ends the job as cancelled', async () => {
  const job = await start([{ kind: 'stall' }, SILENT]);
  await eventually('a check in flight', async () => asked('retrieve', job)[0]);
  await gateway.call('POST', `/videos/${job.id}/cancel`);
  expect((await ended(gateway, job.id)).status).toBe('cancelled');
});

describe('a job that the provider ends without a video', () => {
  test.each([
    ['fails', { status: 'failed', failureCode: 'provider_failed', error: 'The sky is missing.' }],
    ['cancels', { status: 'cancelled', failureCode: 'cancelled' }],
    ['expires', { status: 'expired', failureCode: 'deadline_exceeded' }],
  ] as const)('because it %s ends so here, unbilled', async (scenario, facts) => {
    const job = await endOf(scenario);
    expect(await factsOf(gateway, job.id)).toMatchObject({
      ...facts,
      submissions: ['accepted'],
      generations: [{ status: job.status, costNanos: '0' }],
    });
    expect(await webhookType(job)).toBe(`video.generation.${job.status}`);
  });
});

describe('the deadline', () => {
  test.each(Object.keys(TOO_LATE) as Scenario[])(
    'ends a job whose provider %s: expired, asked to stop, unbilled',
    async (scenario) => {
      const job = await endOf(scenario);
      expect(await factsOf(gateway, job.id)).toMatchObject({
        status: 'expired',
        failureCode: 'deadline_exceeded',
        generations: [{ status: 'expired', costNanos: '0' }],
      });
      expect(asked('delete', job)).toHaveLength(1);
      expect(await webhookType(job)).toBe('video.generation.expired');
    },
  );
});

describe(`a job that is polled ${POLLS} times and more`, () => {
  test('has at most 40 events', async () => {
    const { id } = await endOf('polledLong');
    await polled(id, POLLS);
    expect((await historyOf(gateway, id)).length).toBeLessThanOrEqual(40);
  });

  test('and whose provider calls back has at most 50', async () => {
    const { id } = await endOf('polledLongWithCallback');
    const events = await historyOf(gateway, id);
    expect(events.filter(({ workflowExecutionSignaledEventAttributes: signal }) => signal)).toHaveLength(1);
    expect(events.length).toBeLessThanOrEqual(50);
  });

  test('and that is cancelled then has at most 50', async () => {
    const { id } = jobs.get('polledLongThenCancelled')!;
    await polled(id, POLLS);
    await gateway.call('POST', `/videos/${id}/cancel`);
    await inStatus(gateway, id, 'cancelled');
    expect((await historyOf(gateway, id)).length).toBeLessThanOrEqual(50);
  });
});

function polled(id: string, times: number): Promise<true> {
  return eventually(`${times} checks of ${id}`, async () => {
    const { rows } = await gateway.database.query('select checks from video_jobs where id = $1', [id]);
    return rows[0].checks >= times ? true : undefined;
  });
}
