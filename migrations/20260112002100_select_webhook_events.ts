import type { Knex } from 'knex';

/** A workspace may say which types of events its default callback URL receives. Null: all. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw('alter table workspaces add webhook_event_types text[]');
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw('alter table workspaces drop webhook_event_types');
}
