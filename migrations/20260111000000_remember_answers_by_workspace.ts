import type { Knex } from 'knex';

/**
 * Holds the answers that are remembered for an `Idempotency-Key`, now also by workspace (design: §8). It is a new
 * table, since the version before needs its own unique key for its `on conflict`: its processes go on with
 * `idempotency_records`, which this version only empties and a later one drops. So nothing that was remembered there
 * is ever replayed by this version.
 *
 * `workspace_id` is null for resources of the organization, and refers to no row: it is only compared, and an answer
 * lives for a day.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table remembered_answers (
      organization_id uuid not null references organizations,
      workspace_id uuid,
      operation text not null,
      key text not null,
      request_hash text not null,
      status smallint not null,
      sealed_body text,
      body jsonb,
      created_at timestamptz not null default now(),
      unique nulls not distinct (organization_id, workspace_id, operation, key),
      check ((sealed_body is null) <> (body is null))
    );
    create index remembered_answers_created on remembered_answers (created_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`drop table remembered_answers;`);
}
