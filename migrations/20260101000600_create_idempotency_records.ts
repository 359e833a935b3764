import type { Knex } from 'knex';

/**
 * One row per remembered answer (design: §8, idempotency). Inserted by the transaction that does the work,
 * so a row exists exactly when the work was committed; the unique key makes a twin wait for that commit.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
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

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`drop table idempotency_records;`);
}
