/** Records what a video job waits for until a provider accepts it. */
import type { Knex } from 'knex';

/** The columns keep the last wait of a job that a provider has accepted, or that has ended. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table video_jobs
      add column waiting_reason text,
      add column waiting_since timestamptz,
      add column next_try_at timestamptz
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table video_jobs drop column waiting_reason, drop column waiting_since, drop column next_try_at
  `);
}
