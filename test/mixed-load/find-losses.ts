import type pg from 'pg';
import { runVerifyLedger } from '../../admin/verify-ledger.ts';
import { createDatabase } from '../support/open-database.ts';

/** Everything that callers and the provider saw, to be compared with the database. */
export interface Seen {
  /** Jobs whose submission was answered with 202. */
  acceptedJobs: ReadonlySet<string>;
  /** Generations that a caller received whole. */
  answeredGenerations: ReadonlySet<string>;
  /** The ids of all webhooks that arrived. */
  webhookIds: readonly string[];
  /** The ids of all jobs that the provider made. */
  providerJobs: readonly string[];
}

interface JobRow {
  id: string;
  found: string | null;
  status: string;
  generations: number;
  outputs: number;
  deliveries: string[];
}

/** Returns a sentence for each thing that was lost or that happened twice. */
export async function findLosses(database: pg.Pool | pg.Client, url: string, seen: Seen): Promise<string[]> {
  return [
    ...(await lostJobs(database, seen)),
    ...(await repeatedSubmissions(database, seen)),
    ...(await lostGenerations(database, seen)),
    ...(await wrongCounters(url)),
  ];
}

async function lostJobs(database: pg.Pool | pg.Client, seen: Seen): Promise<string[]> {
  const { rows } = await database.query<JobRow>(
    `select a.id, j.id found, j.status,
            (select count(*)::int from generations g where g.id = j.generation_id) generations,
            (select count(*)::int from job_outputs o where o.job_id = j.id) outputs,
            array(select d.event_id || ' ' || d.status from webhook_deliveries d where d.job_id = j.id) deliveries
     from unnest($1::text[]) a (id) left join video_jobs j on j.id = a.id`,
    [[...seen.acceptedJobs]],
  );
  const arrived = Map.groupBy(new Set(seen.webhookIds), (id) => jobOfWebhook(id));
  return rows.flatMap((row) => faultsOfJob(row, arrived.get(row.id) ?? []));
}

/** Events are named after their job and its end. */
function jobOfWebhook(webhookId: string): string {
  return webhookId.slice(0, webhookId.lastIndexOf('-'));
}

function faultsOfJob(row: JobRow, webhookIds: string[]): string[] {
  const { id, found, status, generations, outputs, deliveries } = row;
  if (found === null) return [`job ${id} was accepted and is not in the database`];
  const event = `${id}-completed`;
  const faults: [boolean, string][] = [
    [status !== 'completed', `is ${status}, not completed`],
    [generations !== 1, `has ${generations} rows in the ledger, not one`],
    [outputs !== 1, `has ${outputs} stored files, not one`],
    [deliveries.join() !== `${event} delivered`, `has the deliveries "${deliveries.join(', ')}"`],
    [webhookIds.join() !== event, `brought the webhooks "${webhookIds.join(', ')}", not ${event}`],
  ];
  return faults.flatMap(([isFault, text]) => (isFault ? [`job ${id} ${text}`] : []));
}

/** A provider's job that no submission names was paid for and never used. */
async function repeatedSubmissions(database: pg.Pool | pg.Client, seen: Seen): Promise<string[]> {
  const { rows } = await database.query<{ id: string; times: number }>(
    `select p.id, count(s.job_id)::int times
     from unnest($1::text[]) p (id) left join job_submissions s on s.operation ->> 'id' = p.id
     group by 1 having count(s.job_id) <> 1`,
    [seen.providerJobs],
  );
  return rows.map(({ id, times }) => `the provider's job ${id} belongs to ${times} submissions, not one`);
}

async function lostGenerations(database: pg.Pool | pg.Client, seen: Seen): Promise<string[]> {
  const { rows } = await database.query<{ id: string; times: number }>(
    `select a.id, count(g.id)::int times
     from unnest($1::text[]) a (id) left join generations g using (id) group by 1 having count(g.id) <> 1`,
    [[...seen.answeredGenerations]],
  );
  return rows.map(({ id, times }) => `generation ${id} was answered and is ${times} times in the ledger`);
}

async function wrongCounters(url: string): Promise<string[]> {
  const { knex, close } = createDatabase({ url, poolMax: 1 });
  const { text, verdict } = await runVerifyLedger(knex).finally(close);
  return verdict === 'agrees' ? [] : [`admin verify-ledger says "${verdict}":\n${text}`];
}
