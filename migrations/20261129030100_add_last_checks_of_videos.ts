/** Keeps when a video job was last checked at its provider, for its timeline. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table video_jobs add column last_checked_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table video_jobs drop column last_checked_at');
}
