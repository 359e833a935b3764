import { afterEach, expect, test } from '@jest/globals';
import { newUuid } from '../../domain/ids.ts';
import { QUEUES, WORKFLOWS } from '../../domain/runs.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';

let gateway: Gateway;
afterEach(() => gateway.close());

/** One audit entry of each age, in days. */
async function addAuditEntries(...days: number[]): Promise<void> {
  for (const age of days) {
    await gateway.database.query(
      `insert into audit_log (id, organization_id, action, target, created_at)
       values ($1, $2, 'updateKey', 'keys/x', now() - $3 * interval '1 day')`,
      [newUuid(), gateway.organizationId, age],
    );
  }
}

async function auditCount(): Promise<number> {
  return (await gateway.database.query(`select from audit_log where target = 'keys/x'`)).rowCount ?? 0;
}

function applyRetention(): Promise<unknown> {
  const options = { workflowId: 'retention', taskQueue: QUEUES.maintenance };
  return gateway.temporal.workflow.execute(WORKFLOWS.applyRetention, options);
}

test('the schedule deletes more than a page of jobs and of audit entries past their time, and no others', async () => {
  gateway = await startGateway({
    env: { AUDIT_RETENTION: '30d', VIDEO_JOB_RETENTION: '2d', GENERATION_RETENTION: '3d' },
  });
  const { id } = await submit(gateway);
  await ended(gateway, id);
  await gateway.database.query(
    `insert into video_jobs
     select (jsonb_populate_record(j, jsonb_build_object('id', 'gen-vid-1-' || lpad(n::text, 20, '0'),
       'generation_id', 'gen-1-' || n, 'ended_at', now() - interval '4 days'))).*
     from video_jobs j, generate_series(1, 600) n where j.id = $1`,
    [id],
  );
  await addAuditEntries(29, 31, 400);
  expect(await applyRetention()).toEqual({ requests: 0, jobs: 600, auditEntries: 2 });
  const { rows } = await gateway.database.query('select id from video_jobs');
  expect([rows, await auditCount()]).toEqual([[{ id }], 1]);
});

test('audit entries are kept for good when no retention is set', async () => {
  gateway = await startGateway();
  await addAuditEntries(4_000);
  expect(await applyRetention()).toEqual({ requests: 0, jobs: 0, auditEntries: 0 });
  expect(await auditCount()).toBe(1);
});
