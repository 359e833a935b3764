import type { Knex } from 'knex';

/**
 * Remembers the user names and external ids that people of a directory had before. Keys may name a person by one of them, and go
 * when that person leaves.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table directory_former_names (
      person_id uuid not null references directory_people on delete cascade,
      name text not null,
      primary key (person_id, name)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw('drop table directory_former_names');
}
