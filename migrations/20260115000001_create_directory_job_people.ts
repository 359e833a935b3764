import type { Knex } from 'knex';

/**
 * Names the people whom a job has still to apply; `leaves` are those who lose something, who come last. A row goes in the
 * transaction that applies its person, so that a run that is broken off goes on with those who are left. Like what a job stages,
 * the rows have no foreign key.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table directory_job_people (
      job_id uuid not null,
      person_id uuid not null,
      leaves boolean not null,
      primary key (job_id, person_id)
    );
    create index directory_job_people_next on directory_job_people (job_id, leaves, person_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw('drop table directory_job_people');
}
