/** Creates the list of circuits that API processes have opened. */
import type { Knex } from 'knex';

/**
 * Each process opens circuits by its own calls. A row lets every process show them: `GET /organization/problems`.
 * Nothing decides by it. The id names the endpoint, and after a slash the version of the customer's secret.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table open_circuits (
      circuit_id text primary key,
      opened_at timestamptz not null default now(),
      open_until timestamptz not null
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table open_circuits');
}
