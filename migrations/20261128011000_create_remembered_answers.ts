/** Creates the table of stored responses to requests with an `Idempotency-Key`. */
import type { Knex } from 'knex';

/**
 * Creates the table of stored responses, one row for each `Idempotency-Key`. The transaction that does the work also
 * inserts its row, so a row exists exactly when the work was committed. The unique key makes a concurrent request with
 * the same key wait for that commit. A row is deleted after a day.
 *
 * `workspace_id` is null for resources of the organization, and has no foreign key, because it is only compared.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table remembered_answers (
      organization_id uuid not null references organizations,
      workspace_id uuid,
      operation text not null,
      key text not null,
      request_hash text not null,
      status smallint not null,
      sealed text,
      json jsonb,
      created_at timestamptz not null default now(),
      unique nulls not distinct (organization_id, workspace_id, operation, key),
      check ((sealed is null) <> (json is null))
    );
    create index remembered_answers_created on remembered_answers (created_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table remembered_answers');
}
