/** Drops the table of stored responses that an unreleased version used. */
import type { Knex } from 'knex';

/** Nothing reads or writes the table: responses are in `remembered_answers`, which separates workspaces. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('drop table idempotency_records');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    create table idempotency_records (
      organization_id uuid not null references organizations,
      operation text not null,
      key text not null,
      request_hash text not null,
      status smallint not null,
      sealed_body text,
      body jsonb,
      created_at timestamptz not null default now(),
      primary key (organization_id, operation, key),
      check ((sealed_body is null) <> (body is null))
    );
    create index idempotency_records_created on idempotency_records (created_at);
  `);
}
