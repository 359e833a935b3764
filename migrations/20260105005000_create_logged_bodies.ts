import type { Knex } from 'knex';

/**
 * Where the inputs and outputs that a workspace wants logged lie. The row is written before the object, so that no
 * object is ever unknown, and what is over is found without listing the bucket.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table logged_bodies (
      generation_id text collate "C" primary key,
      organization_id uuid not null,
      workspace_id uuid not null,
      object_key text not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null
    );
    create index logged_bodies_expiry on logged_bodies (expires_at, generation_id);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw('drop table logged_bodies');
}
