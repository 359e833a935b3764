import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FaultInput } from '../../../upstream/faults.ts';
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
  gateway = await startGateway({ env: { PROVIDER_PLAIN_API_KEY: 'upstream-key' } });
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

describe('the cancel at the provider', () => {
  test('stops an accepted job and records the confirmation', async () => {
    const jobId = await submittedJob([{ kind: 'stall' }]);
    expect(await cancel(jobId)).toBe('cancelled');
    expect(stops(jobId)).toHaveLength(1);
    expect(await isConfirmed(jobId)).toBe(true);
  });

  test('reports a job that the provider refuses to stop as not_cancelled', async () => {
    const jobId = await submittedJob([{ kind: 'stall' }, { kind: 'status', on: 'delete', status: 409 }]);
    expect(await cancel(jobId)).toBe('not_cancelled');
    expect(await isConfirmed(jobId)).toBe(false);
  });

  test('finds and stops a job whose accepting response was lost', async () => {
    const jobId = await submittedJob([{ kind: 'stall' }, { kind: 'drop-after', on: 'create' }]);
    expect((await factsOf(gateway, jobId)).submissions).toEqual(['sending']);
    expect(await cancel(jobId)).toBe('cancelled');
    expect(stops(jobId)).toHaveLength(1);
    expect((await factsOf(gateway, jobId)).submissions).toEqual(['accepted']);
  });

  test('stops nothing for a job that the provider does not know', async () => {
    const jobId = await submittedJob([{ kind: 'drop', on: 'create' }]);
    expect(await cancel(jobId)).toBe('nothing_to_cancel');
    expect(stops(jobId)).toEqual([]);
  });

  test('stops nothing for a refused job or an unknown outcome', async () => {
    const refused = await submittedJob([{ kind: 'status', on: 'create', status: 400 }]);
    const unknown = await submittedJob([{ kind: 'drop-after', on: 'create' }], 'test/plain', 'plain');
    expect([await cancel(refused), await cancel(unknown)]).toEqual([
      'nothing_to_cancel',
      'nothing_to_cancel',
    ]);
  });

  test('throws server_error when the provider answers 500', async () => {
    const jobId = await submittedJob([{ kind: 'stall' }, { kind: 'status', on: 'delete', status: 500 }]);
    await expect(cancel(jobId)).rejects.toThrow('server_error (500)');
    expect(await isConfirmed(jobId)).toBe(false);
  });
});
