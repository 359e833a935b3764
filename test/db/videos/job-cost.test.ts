import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { submit } from '../../support/jobs.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

async function end(id: string, status: string, cost: string | null): Promise<void> {
  await gateway.database.query(
    'update video_jobs set status = $2, ended_at = now(), cost_nanos = $3 where id = $1',
    [id, status, cost],
  );
}

/** Ends a new job; resolves with its id. */
async function endedJob(status: string, cost: string | null): Promise<string> {
  const { id } = await submit(gateway);
  await end(id, status, cost);
  return id;
}

test.each([
  ['completed', '5'],
  ['cancelled', null],
  ['cancelled', '5'],
  ['failed', null],
  ['expired', null],
])('a job may be %s with a cost of %s', async (status, cost) => {
  expect(await endedJob(status, cost)).toMatch(/^gen-vid-/);
});

test.each([
  ['completed', null],
  ['failed', '5'],
  ['expired', '5'],
])('a job cannot be %s with a cost of %s', async (status, cost) => {
  await expect(endedJob(status, cost)).rejects.toThrow('video_jobs_cost_check');
});
