/** Creates the table of generations that filters could not decide for want of their prompt and answer. */
import type { Knex } from 'knex';

/**
 * A row is a generation that a destination has passed: a filter tests the prompt or the answer, and neither had been
 * stored. The pump decides about it when they are. `passed_at` limits how long it waits for that.
 *
 * `undecided` counts these generations. Those that were decided later are subtracted again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table broadcast_progress add column undecided bigint not null default 0;
    create table broadcast_undecided (
      destination_id uuid not null references observability_destinations on delete cascade,
      generation_id text collate "C" not null,
      created_at timestamptz not null,
      settled_at timestamptz not null,
      facts json,
      passed_at timestamptz not null default now(),
      primary key (destination_id, generation_id)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table broadcast_undecided;
    alter table broadcast_progress drop column undecided;
  `);
}
