/** Creates the tables of the console's sessions. */
import type { Knex } from 'knex';

/** Tokens are stored as hashes, so that a copy of the database opens no session. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table console_sessions (
      token_hash text collate "C" primary key,
      id uuid not null unique,
      key_hash text collate "C" not null,
      expires_at timestamptz not null
    );
    comment on column console_sessions.key_hash is 'The key with which the session acts; it may have been deleted.';

    create table console_links (
      token_hash text collate "C" primary key,
      key_hash text collate "C" not null,
      expires_at timestamptz not null
    );
    comment on table console_links is 'Links that open one session each.';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table console_links, console_sessions');
}
