/** Records why a provider refused a submission, for the timeline of the video job. */
import type { Knex } from 'knex';

/** `refusal` is null for submissions of earlier versions; `reason` stays the text for operators. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table job_submissions add column refusal text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table job_submissions drop column refusal');
}
