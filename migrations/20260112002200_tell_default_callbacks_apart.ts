import type { Knex } from 'knex';

/**
 * Says of a job whether its callback URL is the default of its workspace, which receives selected types of events only.
 * The URL of a job that was accepted before counts as the job's own.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw('alter table video_jobs add uses_default_callback boolean not null default false');
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw('alter table video_jobs drop uses_default_callback');
}
