import { describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../upstream/faults.ts';
import { addVideoModel } from '../support/catalog.ts';
import { asked, expectBalancedBooks, expectEndedOnce } from '../support/expect-one-end.ts';
import { useFaultyJobs } from '../support/faulty-jobs.ts';
import type { Gateway } from '../support/gateway.ts';
import { factsOf } from '../support/job-facts.ts';
import { type WireJob } from '../support/jobs.ts';
import type { Receiver } from '../support/receiver.ts';

/** What the provider does; all jobs run at once, since most of them wait for most of their time. */
const ENDED = {
  fails: [{ kind: 'fail', message: 'The sky is missing.' }],
  cancels: [{ kind: 'cancel' }],
  expires: [{ kind: 'expire' }],
} satisfies Record<string, FaultInput[]>;

/** On a model whose jobs may run for six seconds. */
const TOO_LATE = {
  'never finishes': [{ kind: 'stall' }],
  'falls silent': [{ kind: 'stall' }, { kind: 'hang', on: 'retrieve', times: 100 }],
  'is down': [{ kind: 'stall' }, { kind: 'status', on: 'retrieve', status: 503, times: 100 }],
} satisfies Record<string, FaultInput[]>;

let gateway: Gateway;
let receiver: Receiver;
const jobs = new Map<string, WireJob>();

const start = useFaultyJobs(
  async (...opened) => {
    [gateway, receiver] = opened;
    await addVideoModel(gateway, 'test/short', [{ provider: 'local', maxRunSeconds: 6 }]);
    for (const [name, faults] of Object.entries(ENDED)) jobs.set(name, await start(faults));
    for (const [name, faults] of Object.entries(TOO_LATE)) jobs.set(name, await start(faults, 'test/short'));
  },
  { env: { JOB_CHECK_TIMEOUT: '2s' } },
);

describe('a job that the provider ends without a video', () => {
  test.each([
    ['fails', { status: 'failed', failureCode: 'provider_failed' }, 'The sky is missing.'],
    ['cancels', { status: 'cancelled', failureCode: 'cancelled' }, expect.any(String)],
    ['expires', { status: 'expired', failureCode: 'deadline_exceeded' }, expect.any(String)],
  ] as const)('ends with the same status, unbilled, when the provider %s', async (scenario, end, error) => {
    const { id } = jobs.get(scenario)!;
    await expectEndedOnce(gateway, receiver, id, end);
    expect(await factsOf(gateway, id)).toMatchObject({ submissions: ['accepted'], error });
    expect(webhookType(id)).toBe(`video.generation.${end.status}`);
  });
});

describe('the deadline', () => {
  test.each(Object.keys(TOO_LATE))(
    'expires a job whose provider %s, unbilled, with one request to stop',
    async (scenario) => {
      const { id } = jobs.get(scenario)!;
      await expectEndedOnce(gateway, receiver, id, { status: 'expired', failureCode: 'deadline_exceeded' });
      expect(asked(gateway, 'delete', id)).toHaveLength(1);
      expect(webhookType(id)).toBe('video.generation.expired');
    },
  );
});

test('the counters agree with the ledger and nothing stays reserved after all ends', async () => {
  await expectBalancedBooks(gateway);
});

function webhookType(jobId: string): string {
  const webhook = receiver.received.find(({ body }) => body.includes(jobId))!;
  return (JSON.parse(webhook.body) as { type: string }).type;
}
