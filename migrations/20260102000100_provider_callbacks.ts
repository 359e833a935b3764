import type { Knex } from 'knex';

/** A vendor's callback signals a job's run at most once, and may name the job by the vendor's own id. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table video_jobs add column callback_signalled_at timestamptz;
    create index job_submissions_operation on job_submissions (provider, (operation ->> 'id'))
      where operation is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop index job_submissions_operation;
    alter table video_jobs drop column callback_signalled_at;
  `);
}
