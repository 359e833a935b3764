import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../../providers/local/upstream/faults.ts';
import { cancelUpstream } from '../../../services/videos/cancel-upstream.ts';
import { submitJob } from '../../../services/videos/submit-job.ts';
import { type TestActivityDeps, createActivityDeps } from '../../support/activity-deps.ts';
import { addVideoModel } from '../../support/catalog.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { factsOf } from '../../support/job-facts.ts';
import { submit } from '../../support/jobs.ts';

let gateway: Gateway;
let deps: TestActivityDeps;

beforeAll(async () => {
  gateway = await startGateway({ worker: false, env: { PROVIDER_PLAIN_API_KEY: 'upstream-key' } });
  await addVideoModel(gateway, 'test/plain', [{ provider: 'plain', adapter: 'openai-compatible' }]);
  deps = await createActivityDeps(gateway);
});

afterAll(async () => {
  await deps.close();
  await gateway.close();
});

/** A job whose submission was made as the faults will have it. */
async function submittedJob(
  faults: FaultInput[],
  model = 'local/clip-canned',
  provider = 'local',
): Promise<string> {
  const { id } = await submit(gateway, { model, provider: { options: { [provider]: { faults } } } });
  await submitJob(deps.video, id, 'run', contextOf(id));
  return id;
}

function contextOf(jobId: string) {
  return { signal: new AbortController().signal, requestId: jobId };
}

function cancel(jobId: string) {
  return cancelUpstream(deps.video, jobId, contextOf(jobId));
}

function stops(jobId: string) {
  return gateway.upstream.requests('delete').filter(({ requestId }) => requestId === jobId);
}

/** Whether it is on record that the provider took the cancel. */
async function isConfirmed(jobId: string): Promise<boolean> {
  const { rows } = await gateway.database.query<{ confirmed: boolean }>(
    'select closed_at is not null confirmed from job_submissions where job_id = $1',
    [jobId],
  );
  return rows[0]!.confirmed;
}

describe('asking the provider to stop', () => {
  test('a job that it accepted', async () => {
    const jobId = await submittedJob([{ kind: 'stall' }]);
    expect(await cancel(jobId)).toBe('cancelled');
    expect(stops(jobId)).toHaveLength(1);
    expect(await isConfirmed(jobId)).toBe(true);
  });

  test('a job that it will not stop', async () => {
    const jobId = await submittedJob([{ kind: 'stall' }, { kind: 'status', on: 'delete', status: 409 }]);
    expect(await cancel(jobId)).toBe('not_cancelled');
    expect(await isConfirmed(jobId)).toBe(false);
  });

  test('a job that it accepted without our hearing of it, where it can be asked', async () => {
    const jobId = await submittedJob([{ kind: 'stall' }, { kind: 'drop-after', on: 'create' }]);
    expect((await factsOf(gateway, jobId)).submissions).toEqual(['sending']);
    expect(await cancel(jobId)).toBe('cancelled');
    expect(stops(jobId)).toHaveLength(1);
    expect((await factsOf(gateway, jobId)).submissions).toEqual(['accepted']);
  });

  test('a job that it does not know: there is nothing to stop', async () => {
    const jobId = await submittedJob([{ kind: 'drop', on: 'create' }]);
    expect(await cancel(jobId)).toBe('nothing_to_cancel');
    expect(stops(jobId)).toEqual([]);
  });

  test('a job that it refused, or whose outcome nobody can ask for: there is nothing to stop', async () => {
    const refused = await submittedJob([{ kind: 'status', on: 'create', status: 400 }]);
    const unknown = await submittedJob([{ kind: 'drop-after', on: 'create' }], 'test/plain', 'plain');
    expect([await cancel(refused), await cancel(unknown)]).toEqual([
      'nothing_to_cancel',
      'nothing_to_cancel',
    ]);
  });

  test('and failing, is told to whoever asked', async () => {
    const jobId = await submittedJob([{ kind: 'stall' }, { kind: 'status', on: 'delete', status: 500 }]);
    await expect(cancel(jobId)).rejects.toThrow('server_error (500)');
    expect(await isConfirmed(jobId)).toBe(false);
  });
});
