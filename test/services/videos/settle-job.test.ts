import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { videoWebhookEvent } from '../../../contract/webhook-events.ts';
import { createJobRunStore } from '../../../db/videos/job-run-store.ts';
import { createSubmissionStore } from '../../../db/videos/submission-store.ts';
import type { TerminalEnd } from '../../../domain/videos/job.ts';
import { settleJob } from '../../../services/videos/settle-job.ts';
import { addKey } from '../../support/accounts.ts';
import { type TestActivityDeps, createActivityDeps } from '../../support/activity-deps.ts';
import { createCaller } from '../../support/caller.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { factsOf, ledgerSums, reservedNanos } from '../../support/job-facts.ts';
import { submit } from '../../support/jobs.ts';

const COMPLETED: TerminalEnd = { status: 'completed' };
const CANCELLED: TerminalEnd = { status: 'cancelled', code: 'cancelled' };
const EXPIRED: TerminalEnd = { status: 'expired', code: 'deadline_exceeded' };
const REFUSED: TerminalEnd = { status: 'failed', code: 'provider_refused' };

let gateway: Gateway;
let deps: TestActivityDeps;

beforeAll(async () => {
  gateway = await startGateway();
  deps = await createActivityDeps(gateway);
});

afterAll(async () => {
  await deps.close();
  await gateway.close();
});

async function openJob(): Promise<string> {
  return (await submit(gateway, { callback_url: 'http://127.0.0.1:9/hook' })).id;
}

function settle(jobId: string, end: TerminalEnd, shard = 0) {
  return settleJob({ ...deps.video, shard }, jobId, end);
}

function beginSubmission(jobId: string): Promise<boolean> {
  return createSubmissionStore(deps.knex).insertSending({
    jobId,
    n: 1,
    endpointId: 'local/clip-canned@local',
    provider: 'local',
    idempotencyKey: `${jobId}-1`,
  });
}

describe('settling a job', () => {
  test('changes nothing a second time and returns the first result', async () => {
    const jobId = await openJob();
    const first = await settle(jobId, COMPLETED);
    expect(first).toMatchObject({ first: true, status: 'completed' });
    const [facts, sums] = [await factsOf(gateway, jobId), await ledgerSums(gateway)];
    for (const end of [COMPLETED, CANCELLED, EXPIRED]) {
      expect(await settle(jobId, end)).toEqual({ ...first, first: false });
    }
    expect(await factsOf(gateway, jobId)).toEqual(facts);
    expect(await ledgerSums(gateway)).toEqual(sums);
  });

  test('ends a job once when eight callers settle it at the same time', async () => {
    const jobId = await openJob();
    const ends = [COMPLETED, CANCELLED, EXPIRED, REFUSED, COMPLETED, CANCELLED, EXPIRED, REFUSED];
    const settled = await Promise.all(ends.map((end, shard) => settle(jobId, end, shard)));
    expect(settled.filter(({ first }) => first)).toHaveLength(1);
    const { status, generations, events } = await factsOf(gateway, jobId);
    expect(new Set(settled.map((one) => one.status))).toEqual(new Set([status]));
    expect([generations.length, events]).toEqual([1, [`${jobId}-${status}`]]);
  });

  test('rolls everything back when the webhook cannot be rendered', async () => {
    const jobId = await openJob();
    const [facts, sums] = [await factsOf(gateway, jobId), await ledgerSums(gateway)];
    const renderEvent = (): never => {
      throw new Error('no such event');
    };
    await expect(settleJob({ ...deps.video, renderEvent }, jobId, COMPLETED)).rejects.toThrow(
      'no such event',
    );
    expect(await factsOf(gateway, jobId)).toEqual(facts);
    expect(await ledgerSums(gateway)).toEqual(sums);
    expect((await settle(jobId, COMPLETED)).first).toBe(true);
  });

  test('creates the partition for an old generation', async () => {
    const jobId = await openJob();
    const generationId = 'gen-1600000000000-00000000000000000000';
    await gateway.database.query('update video_jobs set generation_id = $2 where id = $1', [
      jobId,
      generationId,
    ]);
    await settle(jobId, COMPLETED);
    const { rows } = await gateway.database.query(
      `select g.tableoid::regclass::text "table", d.tableoid::regclass::text details
       from generations g join generation_details d using (created_at, id) where id = $1`,
      [generationId],
    );
    expect(rows).toEqual([{ table: 'generations_20200913', details: 'generation_details_20200913' }]);
  });

  test('marks a submission that the provider never answered as unconfirmed', async () => {
    const jobId = await openJob();
    expect(await beginSubmission(jobId)).toBe(true);
    await settle(jobId, CANCELLED);
    expect((await factsOf(gateway, jobId)).submissions).toEqual(['unconfirmed']);
  });

  test('prevents a later submission', async () => {
    const jobId = await openJob();
    await settle(jobId, CANCELLED);
    expect(await beginSubmission(jobId)).toBe(false);
    expect((await factsOf(gateway, jobId)).submissions).toEqual([]);
  });
});

describe('the webhook and error of an ended job', () => {
  async function eventOf(end: TerminalEnd, openedJob?: string) {
    const jobId = openedJob ?? (await openJob());
    await createJobRunStore(deps.knex).noteProviderMessage(jobId, 'No cats.');
    await settle(jobId, end);
    const { rows } = await gateway.database.query(
      'select payload from webhook_deliveries where job_id = $1',
      [jobId],
    );
    const event = videoWebhookEvent.parse(JSON.parse(rows[0].payload));
    const { error } = await factsOf(gateway, jobId);
    return { event, error };
  }

  test.each<[string, TerminalEnd, string]>([
    ['a refusal, in the words of the provider', REFUSED, 'No cats.'],
    ['a failure, in the words of the provider', { status: 'failed', code: 'provider_failed' }, 'No cats.'],
    ['a failure of ours', { status: 'failed', code: 'internal' }, 'The job could not be completed'],
    ['a cancel', CANCELLED, 'The job was cancelled'],
    ['a passed deadline', EXPIRED, 'The job did not finish before its deadline'],
  ])('both report %s', async (_, end, sentence) => {
    const { event, error } = await eventOf(end);
    expect(error).toBe(sentence);
    expect(event).toEqual({
      type: `video.generation.${end.status}`,
      timestamp: event.created_at,
      created_at: expect.any(String),
      data: {
        id: expect.any(String),
        status: end.status,
        generation_id: expect.any(String),
        model: 'local/clip-canned',
        error: sentence,
      },
    });
  });

  test('contain the cost and no error after completion', async () => {
    const { event, error } = await eventOf(COMPLETED);
    expect(error).toBeNull();
    expect(event.data).toMatchObject({ usage: { cost: 0.01, is_byok: false } });
    expect(event.data.error).toBeUndefined();
  });

  test('contain the cost and the error after a cancel that the provider refused', async () => {
    const jobId = await openJob();
    await beginSubmission(jobId);
    await createSubmissionStore(deps.knex).markAccepted(jobId, 1, { id: 'video_1' });
    await createJobRunStore(deps.knex).noteCancelPrice(jobId, 1);
    const { event, error } = await eventOf(CANCELLED, jobId);
    expect(error).toBe('The job was cancelled');
    expect(event.data).toMatchObject({ usage: { cost: 0.01, is_byok: false }, error });
    expect(event.data.unsigned_urls).toBeUndefined();
  });
});

test('fifty jobs, settled at once from several shards, leave counters equal to the ledger', async () => {
  const callers = [gateway];
  for (let i = 0; i < 2; i += 1) {
    const { token } = await addKey(gateway);
    callers.push({ ...gateway, call: createCaller(gateway.origin, token).call });
  }
  const before = (await ledgerSums(gateway))['generations']!;
  const jobs: string[] = [];
  for (let i = 0; i < 50; i += 1) jobs.push((await submit(callers[i % 3]!)).id);
  await Promise.all(jobs.map((jobId, i) => settle(jobId, i % 5 === 0 ? CANCELLED : COMPLETED, i % 4)));
  const { generations, ...counters } = await ledgerSums(gateway);
  expect(counters).toEqual({ organization: generations, keys: generations, days: generations });
  expect(Number(generations!.requests) - Number(before.requests)).toBe(50);
  expect(BigInt(generations!.usageNanos) - BigInt(before.usageNanos)).toBe(40n * 10_000_000n);
  expect(await reservedNanos(gateway)).toBe(0n);
});
