import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readBacklog } from '../../db/videos/backlog-read-model.ts';
import { createDatabase, type Database } from '../support/open-database.ts';
import { createMetrics } from '../../platform/create-metrics.ts';
import type { Config } from '../../platform/config.ts';
import { createLogger } from '../../platform/logger.ts';
import { settleJob } from '../../services/videos/settle-job.ts';
import { openBacklogMetrics } from '../../worker/backlog-metrics.ts';
import { createActivityDeps, type TestActivityDeps } from '../support/activity-deps.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { submit } from '../support/jobs.ts';
import { CLOSED_PORT } from '../support/replica.ts';
import { readScrape, type Scrape } from '../support/scrape.ts';
import { reporting } from '../support/handles.ts';
import { copyRows } from '../support/copy-rows.ts';

const logger = createLogger({ level: 'fatal', name: 'test' });

let gateway: Gateway;
let deps: TestActivityDeps;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  gateway = await startGateway();
  deps = await createActivityDeps(gateway);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(async () => {
  await deps.close();
  await gateway.close();
});

function run(sql: string, ...values: unknown[]) {
  return gateway.database.query(sql, values);
}

/** A worker's series, and what it shows now. */
function open(change: Partial<Config['database']> = {}): () => Promise<Scrape> {
  const metrics = createMetrics(0);
  const config = { ...gateway.config, database: { ...gateway.config.database, ...change } };
  const backlog = openBacklogMetrics(metrics, config, logger);
  closing.push(() => backlog.close());
  return async () => readScrape(await metrics.text());
}

/** A job that ended with a delivery, which nobody has taken. */
async function delivery(): Promise<string> {
  const { id } = await submit(gateway, { callback_url: 'http://127.0.0.1:9/hook' });
  const { deliveryId } = await settleJob(deps.video, id, { status: 'completed' });
  return deliveryId!;
}

describe('the metrics of open work', () => {
  beforeEach(async () => {
    await run('delete from webhook_attempts');
    await run('delete from webhook_deliveries');
    await run('delete from job_requests');
    await run('delete from video_jobs');
    await run('delete from generation_rejects');
  });

  test('equal zero when there is none', async () => {
    const { series, value } = await open()();
    const shown = series.filter((name) => !name.startsWith('sluice_event_loop'));
    expect(shown.toSorted()).toEqual([
      'sluice_job_oldest_seconds{status="in_progress"}',
      'sluice_job_oldest_seconds{status="pending"}',
      'sluice_jobs_open{status="in_progress"}',
      'sluice_jobs_open{status="pending"}',
      'sluice_jobs_overdue',
      'sluice_ledger_rejects',
      'sluice_postgres_read_failures_total',
      'sluice_webhooks_pending',
      'sluice_webhooks_undispatched_seconds',
    ]);
    expect(shown.map(value)).toEqual(shown.map(() => 0));
  });

  test('equal the counts and ages of the rows', async () => {
    const jobs = [await submit(gateway), await submit(gateway), await submit(gateway), await submit(gateway)];
    const [first, second, third] = jobs.map(({ id }) => id);
    await run(`update video_jobs set created_at = now() - interval '1 hour' where id = $1`, first);
    for (const [id, minutes] of [
      [second, 30],
      [third, 10],
    ])
      await run(
        `update video_jobs set status = 'in_progress', created_at = now() - interval '1 day',
           submitted_at = now() - $2 * interval '1 minute' where id = $1`,
        id,
        minutes,
      );
    await run(`update video_jobs set deadline_at = now() - interval '1 s' where id = any($1)`, [
      first,
      third,
    ]);
    const deliveries = [await delivery(), await delivery(), await delivery()];
    await run(
      `update webhook_deliveries set dispatched_at = null, created_at = now() - interval '20 minutes' where id = $1`,
      deliveries[0],
    );
    await run(
      `update webhook_deliveries set dispatched_at = now(), created_at = now() - interval '1 day' where id = $1`,
      deliveries[1],
    );
    await run(
      `update webhook_deliveries set status = 'delivered', created_at = now() - interval '1 day' where id = $1`,
      deliveries[2],
    );
    await run(
      `insert into generation_rejects (generation_id, record, error) values ('a', '', ''), ('b', '', '')`,
    );

    const { value } = await open()();
    expect(value('sluice_jobs_open{status="pending"}')).toBe(2);
    expect(value('sluice_jobs_open{status="in_progress"}')).toBe(2);
    expect(value('sluice_jobs_overdue')).toBe(2);
    expect(value('sluice_webhooks_pending')).toBe(2);
    expect(value('sluice_ledger_rejects')).toBe(2);
    // Minutes: the test takes no hour.
    const minutes = (series: string): number => Math.floor(value(series)! / 600) * 10;
    expect(minutes('sluice_job_oldest_seconds{status="pending"}')).toBe(60);
    expect(minutes('sluice_job_oldest_seconds{status="in_progress"}')).toBe(30);
    expect(minutes('sluice_webhooks_undispatched_seconds')).toBe(20);
  });

  test('share one read between scrapes at the same time', async () => {
    const show = open();
    await Promise.all([show(), show(), show()]);
    await submit(gateway);
    expect((await show()).value('sluice_jobs_open{status="pending"}')).toBe(0);
    expect((await open()()).value('sluice_jobs_open{status="pending"}')).toBe(1);
  });

  test('read fewer than 20 rows, however many have ended', async () => {
    const { id } = await submit(gateway, { callback_url: 'http://127.0.0.1:9/hook' });
    await copyRows(gateway.database, 'video_jobs', {
      copies: 20_000,
      changes: `'id', 'gen-vid-1-' || lpad(n::text, 20, '0'), 'generation_id', 'copy ' || n, 'status', 'completed',
        'cost_nanos', 0, 'ended_at', now()`,
      where: 'original.id = $1',
      values: [id],
    });
    await settleJob(deps.video, id, { status: 'completed' });
    await copyRows(gateway.database, 'webhook_deliveries', {
      copies: 20_000,
      changes: `'id', gen_random_uuid(), 'event_id', 'copy ' || n, 'status', 'delivered', 'dispatched_at', now()`,
    });
    await run('analyze video_jobs, webhook_deliveries');
    expect(await rowsReadForBacklog()).toBeLessThan(20);
  });
});

interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

/** How many rows all scans of the statement go through. */
async function rowsReadForBacklog(): Promise<number> {
  const asked: string[] = [];
  const database: Database = createDatabase({ url: gateway.config.database.url, poolMax: 1 });
  closing.push(() => database.close());
  await readBacklog(reporting(database.knex, (text) => asked.push(text)));
  const { rows } = await run(`explain (analyze, format json) ${asked[0]}`);
  const count = (plan: Plan): number =>
    (plan.Plans ?? []).reduce(
      (sum, child) => sum + count(child),
      plan['Node Type'].includes('Scan') ? plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) : 0,
    );
  return count(rows[0]['QUERY PLAN'][0].Plan);
}

describe('the metrics of open work during a failure', () => {
  const isAbsent = ({ series }: Scrape): boolean =>
    !series.some((name) => /jobs_open|jobs_overdue|webhooks|ledger_rejects/.test(name));

  test('disappear while Postgres is away, and the failure is counted', async () => {
    const show = open({ url: `postgres://nobody@${CLOSED_PORT}/none` });
    const seen = await show();
    expect(isAbsent(seen)).toBe(true);
    // The next scrape does not read again, and has the failure of this one.
    expect((await show()).value('sluice_postgres_read_failures_total')).toBe(1);
    expect(seen.value('process_resident_memory_bytes')).toBeGreaterThan(0);
  });

  test('disappear while a lock blocks the read, and the failure is counted', async () => {
    const client = await gateway.database.connect();
    try {
      await client.query('begin; lock table generation_rejects in access exclusive mode');
      const show = open();
      expect(isAbsent(await show())).toBe(true);
      expect((await show()).value('sluice_postgres_read_failures_total')).toBe(1);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});
