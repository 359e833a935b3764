import type { Knex } from 'knex';
import { buildIndexes, WITHOUT_TRANSACTION } from './indexes.ts';

export const config = WITHOUT_TRANSACTION;

const BATCH = 500;

/**
 * Moves the request of a video job, which may hold megabytes of media, out of the job's row. The row keeps only the
 * facts that are needed after the submission. `json`, not `jsonb`: the text is stored and read back whole, never
 * searched.
 *
 * Processes of the version before still write `video_jobs.request`, and continue a finished job by the resolved shape in
 * it. So the column stays: null while a job of this version is open, so that an old worker fails instead of submitting
 * half a request, and the shape alone once a job has ended. A row without `request_facts` is one of theirs. The
 * requests of jobs that have ended are cut down here, a few hundred rows at a time, so that no lock is held for long.
 * Every step may be repeated.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table if not exists job_requests (
      job_id text primary key references video_jobs,
      request json not null
    )
  `);
  await knex.raw(
    'alter table video_jobs alter column request drop not null, add column if not exists request_facts jsonb',
  );
  await buildIndexes(knex, {
    video_jobs_ended_with_request: 'video_jobs (id) where ended_at is not null and request_facts is null',
  });
  for (;;) {
    const { rowCount }: { rowCount: number } = await knex.raw(
      `update video_jobs set request = jsonb_build_object('shaped', request->'shaped'),
              request_facts = jsonb_build_object('shaped', request->'shaped', 'mediaCount', 0, 'inputModalities', '[]'::jsonb)
       where id = any(array(select id from video_jobs where ended_at is not null and request_facts is null limit ?))`,
      [BATCH],
    );
    if (rowCount < BATCH) return;
  }
}

/** Puts the requests of open jobs back; a job that has ended keeps its shape and no more. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    update video_jobs j set request = r.request::jsonb || jsonb_build_object('shaped', j.request_facts->'shaped')
    from job_requests r where r.job_id = j.id
  `);
  await knex.raw(
    'alter table video_jobs alter column request set not null, drop column if exists request_facts',
  );
  await knex.raw('drop table if exists job_requests');
}
