/** Records since when a destination waits for its turn. */
import type { Knex } from 'knex';

/**
 * `waiting_since` is the time at which a destination had generations to send and no pump. It is null while a pump
 * works, and while there is nothing to send.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table broadcast_progress add column waiting_since timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table broadcast_progress drop column waiting_since');
}
