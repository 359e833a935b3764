import type { Knex } from 'knex';

/**
 * Remembers that an event has reported a destination as paused or disabled. The next success then reports the recovery, even
 * if attempts failed in other ways in between.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(
    'alter table broadcast_progress add column is_trouble_told boolean not null default false',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw('alter table broadcast_progress drop column is_trouble_told');
}
