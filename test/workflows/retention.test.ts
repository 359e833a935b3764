import { afterEach, expect, test } from '@jest/globals';
import { newUuid } from '../../domain/ids.ts';
import { QUEUES, WORKFLOWS } from '../../domain/runs.ts';
import { ALL_QUEUES, type Gateway, startGateway } from '../support/gateway.ts';
import { ended, submit } from '../support/jobs.ts';
import { copyRows } from '../support/copy-rows.ts';

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

test('the schedule deletes 600 expired jobs and all expired audit entries only', async () => {
  gateway = await startGateway({
    worker: ALL_QUEUES,
    env: { AUDIT_RETENTION: '30d', VIDEO_JOB_RETENTION: '2d', GENERATION_RETENTION: '3d' },
  });
  const { id } = await submit(gateway);
  await ended(gateway, id);
  await copyRows(gateway.database, 'video_jobs', {
    copies: 600,
    changes: `'id', 'gen-vid-1-' || lpad(n::text, 20, '0'), 'generation_id', 'gen-1-' || n,
      'ended_at', now() - interval '4 days'`,
    where: 'original.id = $1',
    values: [id],
  });
  await addAuditEntries(29, 31, 400);
  expect(await applyRetention()).toEqual({ jobs: 600, auditEntries: 2, deliveries: 0 });
  const { rows } = await gateway.database.query('select id from video_jobs');
  expect([rows, await auditCount()]).toEqual([[{ id }], 1]);
});

test('one run deletes all 51,000 remembered answers that are older than a day', async () => {
  gateway = await startGateway({ worker: ALL_QUEUES });
  await gateway.database.query(
    `insert into remembered_answers (organization_id, operation, key, request_hash, status, json, created_at)
     select $1, 'createVideo', 'bulk-' || n, 'hash', 202, '{}', now() - interval '25 hours'
     from generate_series(1, 51000) n`,
    [gateway.organizationId],
  );
  const options = { workflowId: 'forget', taskQueue: QUEUES.maintenance };
  await gateway.temporal.workflow.execute(WORKFLOWS.forgetAnswers, options);
  expect((await gateway.database.query('select from remembered_answers')).rowCount).toBe(0);
});

test('audit entries stay when no retention is set', async () => {
  gateway = await startGateway({ worker: ALL_QUEUES });
  await addAuditEntries(4_000);
  expect(await applyRetention()).toEqual({ jobs: 0, auditEntries: 0, deliveries: 0 });
  expect(await auditCount()).toBe(1);
});

test('deliveries without a job disappear with their attempts 90 days after their end', async () => {
  gateway = await startGateway({ worker: ALL_QUEUES });
  const { id: jobId } = await submit(gateway);
  await ended(gateway, jobId);
  await gateway.database.query(
    `insert into webhook_deliveries (id, job_id, organization_id, workspace_id, event_id, event_type, url, payload,
                                     status, completed_at)
     select gen_random_uuid(), job_id, $1, $2, name || n, 'test', 'https://app.example.com/', '{}', status, completed_at
     from (values ('old', null, 'exhausted', now() - interval '91 days', 1_100),
                  ('young', null, 'delivered', now() - interval '89 days', 1),
                  ('open', null, 'pending', null, 1),
                  ('job', $3, 'delivered', now() - interval '91 days', 1)) kinds (name, job_id, status, completed_at, count),
          generate_series(1, count) n`,
    [gateway.organizationId, gateway.workspaceId, jobId],
  );
  await gateway.database.query(
    `insert into webhook_attempts (delivery_id, replay, attempt) select id, 0, 1 from webhook_deliveries`,
  );
  await gateway.database.query(`update workspaces set default_callback_url = $2 where id = $1`, [
    gateway.workspaceId,
    'https://default.example.com/',
  ]);
  await gateway.database.query(
    `insert into failing_callbacks (workspace_id, url_hash, url, last_failed_at)
     select $1, sha256(convert_to(url, 'UTF8')), url, now() - days * interval '1 day'
     from (values ('https://default.example.com/', 91), ('old', 11), ('young', 9)) urls (url, days)`,
    [gateway.workspaceId],
  );
  expect(await applyRetention()).toEqual({ jobs: 0, auditEntries: 0, deliveries: 1_100 });
  const { rows } = await gateway.database.query(
    `select event_id, (select count(*)::int from webhook_attempts where delivery_id = d.id) attempts
     from webhook_deliveries d order by event_id`,
  );
  expect(rows).toEqual(['job1', 'open1', 'young1'].map((event_id) => ({ event_id, attempts: 1 })));
  const { rows: failing } = await gateway.database.query('select url from failing_callbacks order by url');
  expect(failing).toEqual([{ url: 'https://default.example.com/' }, { url: 'young' }]);
});
