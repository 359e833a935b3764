/** Creates the list of endpoints whose provider says that it does not have the model. */
import type { Knex } from 'knex';

/** An endpoint has one row. The row disables nothing: `admin catalog list` shows it to the operator. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table gone_endpoints (
      endpoint_id text primary key references endpoints,
      first_seen_at timestamptz not null default now(),
      last_seen_at timestamptz not null default now()
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table gone_endpoints');
}
