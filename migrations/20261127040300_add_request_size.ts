/** Records the size of a video job's request, because the requests of an organization's open jobs are limited. */
import type { Knex } from 'knex';

/** `request_bytes` is null for jobs of earlier versions, which do not count. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table video_jobs add column request_bytes integer');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table video_jobs drop column request_bytes');
}
