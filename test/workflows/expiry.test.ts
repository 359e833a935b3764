import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Caller, createCaller } from '../support/caller.ts';
import { eventually } from '../support/eventually.ts';
import { asked, expectBalancedBooks, expectEndedOnce } from '../support/expect-one-end.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { ended, inStatus, submit, type WireJob } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const BODY = { model: 'local/clip-canned', prompt: 'a test' };

let gateway: Gateway;
let receiver: Receiver;
let caller: Caller;
let manager: Caller;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({
    worker: ALL_QUEUES,
    times: {
      sweepIntervalMs: 1_000,
      expireIntervalMs: 1_000,
      overdueAfterMs: 1_000,
      unclaimedAfterMs: 3_600_000,
    },
  });
  caller = createCaller(gateway.origin, gateway.apiKey);
  manager = createCaller(gateway.origin, gateway.managementKey);
});

afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

async function remembered(): Promise<string[]> {
  const { rows } = await gateway.database.query<{ key: string }>(
    'select key from remembered_answers order by key',
  );
  return rows.map(({ key }) => key);
}

/** A job, and a secret that the answer shows: both under a key of the caller's. */
async function ask(key: string): Promise<WireJob> {
  const headers = { 'idempotency-key': key };
  const rotate = `/workspaces/${gateway.workspaceId}/webhook-secret/rotate`;
  expect((await manager.call('POST', rotate, { headers })).status).toBeLessThan(300);
  const response = await caller.call('POST', '/videos', { body: BODY, headers });
  expect(response.status).toBe(202);
  return (await response.json()) as WireJob;
}

function age(key: string): Promise<unknown> {
  return gateway.database.query(
    `update remembered_answers set created_at = now() - interval '24 hours' where key = $1`,
    [key],
  );
}

describe('answers remembered for an Idempotency-Key', () => {
  test('expire after a day, including sealed ones, while younger ones stay', async () => {
    const old = await ask('old');
    const young = await ask('young');
    expect(await remembered()).toEqual(['old', 'old', 'young', 'young']);
    const { rows } = await gateway.database.query(
      'select key from remembered_answers where sealed is not null',
    );
    expect(rows).toHaveLength(2);
    await age('old');
    await eventually('the deletion', async () => ((await remembered()).length === 2 ? true : undefined));
    expect(await remembered()).toEqual(['young', 'young']);
    expect((await ask('young')).id).toBe(young.id);
    expect((await ask('old')).id).not.toBe(old.id);
  });

  test('expire in pages until none is left', async () => {
    await gateway.database.query(
      `insert into remembered_answers (organization_id, operation, key, request_hash, status, json, created_at)
       select $1, 'createVideo', 'bulk-' || n, 'hash', 202, '{}', now() - interval '25 hours'
       from generate_series(1, 2500) n`,
      [gateway.organizationId],
    );
    await eventually('the deletion', async () => {
      const { rows } = await gateway.database.query(
        `select 1 from remembered_answers where key like 'bulk-%' limit 1`,
      );
      return rows.length === 0 ? true : undefined;
    });
    expect(await remembered()).toContain('young');
  });
});

test('the files of a job are removed and answer 410 once their time is over', async () => {
  const { id } = await ended(caller, (await ask('files')).id);
  await gateway.database.query('update video_jobs set outputs_expire_at = now() where id = $1', [id]);
  await eventually('the removal', async () => {
    const { rows } = await gateway.database.query<{ removed: boolean }>(
      'select removed_at is not null removed from job_outputs where job_id = $1',
      [id],
    );
    return rows[0]?.removed === true ? true : undefined;
  });
  expect((await caller.call('GET', `/videos/${id}/content`)).status).toBe(410);
});

test('a job past its deadline without a run expires, and its provider is asked to stop', async () => {
  const { id } = await submit(gateway, {
    callback_url: receiver.url,
    provider: { options: { local: { faults: [{ kind: 'stall' }] } } },
  });
  await inStatus(gateway, id, 'in_progress');
  await gateway.temporal.workflow.getHandle(id).terminate();
  await gateway.database.query(
    `update video_jobs set deadline_at = now() - interval '2 seconds' where id = $1`,
    [id],
  );
  const expired = { status: 'expired', failureCode: 'deadline_exceeded' };
  await expectEndedOnce(gateway, receiver, id, expired);
  expect(asked(gateway, 'delete', id)).toHaveLength(1);
  await expectBalancedBooks(gateway);
});
