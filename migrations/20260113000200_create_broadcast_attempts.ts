import type { Knex } from 'knex';

/**
 * Holds what became of the batches that were sent. Failed attempts are kept for seven days and have no slot. Of the
 * successful ones each destination has the latest hundred: `slot` is the number of the batch modulo 100, so a new row
 * takes the place of the oldest.
 *
 * `broadcast_dead_letters` holds generations that the tool refused for what is in them, for seven days. They are sent
 * again when somebody asks for it (`replay_requested_at`). `content_sealed` is the prompt and the answer, encrypted; null
 * where the destination receives none.
 *
 * `failed_batch` is the end of the batch that failed last, one position a shard: its repetition must hold the same
 * generations, so that a tool can tell it from a new one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table broadcast_attempts (
      id bigint generated always as identity primary key,
      destination_id uuid not null references observability_destinations on delete cascade,
      slot smallint,
      at timestamptz not null default now(),
      outcome text not null check (outcome in ('delivered', 'failed')),
      events integer not null,
      bytes integer,
      status smallint,
      reason text,
      response_excerpt text,
      took_ms integer not null,
      unique (destination_id, slot)
    );
    create index broadcast_attempts_newest on broadcast_attempts (destination_id, at desc, id desc);
    create index broadcast_attempts_failed on broadcast_attempts (at) where slot is null;

    create table broadcast_dead_letters (
      id uuid primary key,
      destination_id uuid not null references observability_destinations on delete cascade,
      created_at timestamptz not null,
      generation_id text collate "C" not null,
      facts json,
      content_sealed text,
      reason text not null,
      status smallint,
      died_at timestamptz not null default now(),
      replay_requested_at timestamptz,
      unique (destination_id, generation_id)
    );
    create index broadcast_dead_letters_newest on broadcast_dead_letters (destination_id, died_at desc, id desc);
    create index broadcast_dead_letters_replay on broadcast_dead_letters (destination_id, replay_requested_at)
      where replay_requested_at is not null;
    create index broadcast_dead_letters_old on broadcast_dead_letters (died_at);
    alter table broadcast_progress
      add column batches bigint not null default 0,
      add column failed_batch json,
      add column nudged_at timestamptz;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table broadcast_progress drop column nudged_at, drop column failed_batch, drop column batches;
    drop table broadcast_dead_letters, broadcast_attempts;
  `);
}
