import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runAdmin } from '../support/admin.ts';
import { createCaller } from '../support/caller.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { submit } from '../support/jobs.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

async function addSubmission(
  state: string,
  provider: string,
  sentAt: string,
  reason: string,
  answer: { operation?: object; leftoverSince?: string; closedAt?: string } = {},
): Promise<string> {
  const { id } = await submit(createCaller(gateway.origin, gateway.apiKey));
  await gateway.database.query(
    `insert into job_submissions (job_id, n, endpoint_id, provider, idempotency_key, state, sent_at, reason,
                                  operation, leftover_since, closed_at)
     values ($1, 1, 'e', $2, $1 || '-1', $3, $4, $5, $6, $7, $8)`,
    [id, provider, state, sentAt, reason, answer.operation, answer.leftoverSince, answer.closedAt],
  );
  return id;
}

describe('admin jobs --unconfirmed', () => {
  test('prints one sentence when no submission is unconfirmed', async () => {
    expect(await runAdmin(gateway, ['jobs', '--unconfirmed'])).toEqual({
      code: 0,
      stdout: 'No submission is unconfirmed.\n',
      stderr: '',
    });
  });

  test('lists unconfirmed and orphaned submissions, newest first, with counts by provider', async () => {
    const older = await addSubmission('unconfirmed', 'local', '2026-01-01T00:00:00Z', 'ECONNRESET');
    const newer = await addSubmission(
      'unconfirmed',
      'vendor',
      '2026-01-02T00:00:00Z',
      'red \u001b[31m\nalert',
    );
    const orphaned = await addSubmission('orphaned', 'local', '2025-12-31T00:00:00Z', 'the job ended first', {
      operation: { id: 'op_1' },
      leftoverSince: '2025-12-31T00:01:00Z',
    });
    const stopped = { leftoverSince: '2026-01-03T00:01:00Z', closedAt: '2026-01-03T00:02:00Z' };
    await addSubmission('orphaned', 'local', '2026-01-03T00:00:00Z', 'not shown', stopped);
    await addSubmission('accepted', 'local', '2026-01-03T00:00:00Z', 'not shown');
    const { code, stdout } = await runAdmin(gateway, ['jobs', '--unconfirmed']);
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['job', 'state', 'provider', 'idempotency key', 'operation', 'sent at', 'reason'],
      [newer, 'unconfirmed', 'vendor', `${newer}-1`, '-', '2026-01-02T00:00:00.000Z', 'red', '[31m alert'],
      [older, 'unconfirmed', 'local', `${older}-1`, '-', '2026-01-01T00:00:00.000Z', 'ECONNRESET'],
      [
        orphaned,
        'orphaned',
        'local',
        `${orphaned}-1`,
        'op_1',
        '2025-12-31T00:00:00.000Z',
        'the job ended first',
      ],
      [''],
      ['3 unconfirmed: local 2, vendor 1'],
      [''],
    ]);

    const short = await runAdmin(gateway, ['jobs', '--unconfirmed', '--limit', '1']);
    expect(short.stdout).toContain(newer);
    expect(short.stdout).not.toContain(older);
    expect(short.stdout).toContain('3 unconfirmed: local 2, vendor 1\nThe newest 1 are shown');
  });

  test.each([
    [[], 'either --unconfirmed, --flagged or --acknowledge JOB must be given'],
    [['--unconfirmed', '--acknowledge', 'gen-vid-1'], 'either --unconfirmed, --flagged or --acknowledge JOB'],
    [['--unconfirmed', '--flagged'], 'either --unconfirmed, --flagged or --acknowledge JOB'],
    [['--acknowledge', 'gen-vid-1', '--limit', '3'], '--limit goes with --unconfirmed'],
    [['--unconfirmed', '--limit', '0'], '--limit must be a whole number from 1 to 10000'],
    [['--unconfirmed', '--limit', 'all'], '--limit must be a whole number from 1 to 10000'],
    [['--confirmed'], "Unknown option '--confirmed'"],
  ])('refuses %j and names the right arguments', async (args, message) => {
    const { code, stdout, stderr } = await runAdmin(gateway, ['jobs', ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});

describe('admin jobs --acknowledge', () => {
  test('removes a job from the list once and writes one audit row', async () => {
    const id = await addSubmission(
      'accepted',
      'local',
      '2026-02-01T00:00:00Z',
      'the job ended as cancelled',
      {
        leftoverSince: '2026-02-01T00:01:00Z',
      },
    );
    expect((await runAdmin(gateway, ['jobs', '--unconfirmed'])).stdout).toContain(id);
    const { code, stdout } = await runAdmin(gateway, ['jobs', '--acknowledge', id]);
    expect([code, stdout]).toEqual([0, `${id} is no longer listed (submissions: 1).\n`]);
    expect((await runAdmin(gateway, ['jobs', '--unconfirmed'])).stdout).not.toContain(id);
    expect(await auditOf(id)).toEqual([
      { action: 'acknowledgeUnconfirmedJob', organization_id: gateway.organizationId, key_hash: null },
    ]);

    const again = await runAdmin(gateway, ['jobs', '--acknowledge', id]);
    expect([again.code, again.stderr]).toEqual([2, 'No submission of this job is listed.\n']);
    expect(await auditOf(id)).toHaveLength(1);
  });

  test.each(['gen-vid-1-aaaaaaaaaaaaaaaaaaaa', 'nonsense'])('exits 2 for the unlisted job %s', async (id) => {
    const { code, stderr } = await runAdmin(gateway, ['jobs', '--acknowledge', id]);
    expect([code, stderr]).toEqual([2, 'No submission of this job is listed.\n']);
  });
});

async function auditOf(jobId: string): Promise<unknown[]> {
  const { rows } = await gateway.database.query(
    'select action, organization_id, key_hash from audit_log where target = $1',
    [`videos/${jobId}`],
  );
  return rows;
}
