import type { Knex } from 'knex';
import { WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

const BATCH = 500;

/**
 * Moves the request of a video job, which may hold megabytes of media, out of the job's row. The row keeps only the
 * facts that are needed after the submission. `json`, not `jsonb`: the text is stored and read back whole, never
 * searched. Processes of the version before still write and read `video_jobs.request`, so the column stays until no
 * such version runs.
 *
 * Requests of jobs that have ended are deleted here, a few hundred rows at a time, so that no lock is held for long.
 * Every step may be repeated.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table if not exists job_requests (
      job_id text primary key references video_jobs,
      request json not null
    )
  `);
  await knex.raw(`
    alter table video_jobs alter column request drop not null,
      add column if not exists request_facts jsonb
  `);
  for (;;) {
    const { rowCount }: { rowCount: number } = await knex.raw(
      `update video_jobs set request = null,
              request_facts = jsonb_build_object('shaped', request->'shaped', 'mediaCount', 0, 'inputModalities', '[]'::jsonb)
       where id in (select id from video_jobs where ended_at is not null and request is not null limit ?)`,
      [BATCH],
    );
    if (rowCount < BATCH) return;
  }
}

/** Restores requests that are still known; a job that has ended keeps its facts in their place. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update video_jobs j set request = coalesce(
      (select r.request::jsonb || jsonb_build_object('shaped', j.request_facts->'shaped')
       from job_requests r where r.job_id = j.id), j.request_facts)
    where request is null
  `);
  await knex.raw(
    `alter table video_jobs alter column request set not null, drop column if exists request_facts`,
  );
  await knex.raw(`drop table if exists job_requests`);
}
