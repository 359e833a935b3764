import type { Knex } from 'knex';

/** For the sweep, which asks after deliveries that were dispatched and not heard of since, and for removing files. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create index webhook_deliveries_dispatched on webhook_deliveries (dispatched_at)
      where status = 'pending' and dispatched_at is not null;
    create index job_outputs_held on job_outputs (created_at) where removed_at is null;
    drop index video_jobs_outputs_expire;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create index video_jobs_outputs_expire on video_jobs (outputs_expire_at)
      where outputs_expire_at is not null;
    drop index job_outputs_held, webhook_deliveries_dispatched;
  `);
}
