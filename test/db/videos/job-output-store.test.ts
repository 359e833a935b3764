import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase } from '../../support/open-database.ts';
import { createJobOutputStore } from '../../../db/videos/job-output-store.ts';
import { type Gateway, startGateway } from '../../support/gateway.ts';
import { submit } from '../../support/jobs.ts';
import type { Query } from '../../../db/postgres/handle.ts';
import { watched } from '../../support/handles.ts';
import { copyRows } from '../../support/copy-rows.ts';

const JOBS = 20_000;
const PAGE = 100;

let gateway: Gateway;
let database: ReturnType<typeof createDatabase>;

beforeAll(async () => {
  gateway = await startGateway();
  database = createDatabase({ url: gateway.config.database.url, poolMax: 1, applicationName: 'test' });
  await addOutdatedFiles((await submit(gateway)).id);
});

afterAll(async () => {
  await database.close();
  await gateway.close();
});

/** Copies of a job that completed long ago, each with a file that is held and one that was never recorded. */
async function addOutdatedFiles(jobId: string): Promise<void> {
  await copyRows(gateway.database, 'video_jobs', {
    copies: JOBS,
    changes: `'id', 'gen-vid-1-' || lpad(n::text, 20, '0'), 'generation_id', 'copy ' || n, 'status', 'completed',
      'cost_nanos', 0, 'ended_at', now() - interval '1 day', 'outputs_expire_at', now()`,
    where: 'original.id = $1',
    values: [jobId],
  });
  await gateway.database.query(
    `insert into job_outputs (job_id, index, object_key, content_type, bytes, sha256)
     select id, 0, id, 'video/mp4', 1, '' from video_jobs where ended_at is not null;
     insert into intended_outputs (job_id, index, object_key)
     select id, 1, id from video_jobs where ended_at is not null;
     analyze video_jobs, job_outputs, intended_outputs`,
  );
}

interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: Plan[];
}

/** Of all scans in a plan. */
function rowsRead(plan: Plan): number {
  const own = plan['Node Type'].includes('Scan') ? plan['Actual Rows'] * plan['Actual Loops'] : 0;
  return (plan.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), own);
}

test('any page of outdated files is found without reading all of them', async () => {
  const asked: Query[] = [];
  const knex = watched(database.knex, (query, run) => {
    asked.push(query);
    return run();
  });
  const outputs = createJobOutputStore(knex);
  const first = await outputs.expired(undefined, PAGE, 0);
  const middle = { jobId: `gen-vid-1-${String(JOBS / 2).padStart(20, '0')}`, index: 0 };
  const second = await outputs.expired(middle, PAGE, 0);
  expect([first.length, second.length]).toEqual([PAGE, PAGE]);
  // The held file of that job is behind us, the other one is not.
  expect(second[0]).toMatchObject({ jobId: middle.jobId, index: 1 });

  for (const { text, values } of asked) {
    const { rows } = await gateway.database.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `explain (analyze, format json) ${text}`,
      values,
    );
    expect(rowsRead(rows[0]!['QUERY PLAN'][0]!.Plan)).toBeLessThan(10 * PAGE);
  }
});
