import type { Knex } from 'knex';

/**
 * Remembers callback URLs that have failed since their last success. By a hash: a URL may be longer than an entry of an
 * index. The audit log learns to say that the system wrote an entry.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table failing_callbacks (
      workspace_id uuid not null references workspaces,
      url_hash bytea not null,
      url text not null,
      failing_since timestamptz not null default now(),
      last_failed_at timestamptz not null default now(),
      reported_at timestamptz,
      primary key (workspace_id, url_hash)
    );
    create index failing_callbacks_unreported on failing_callbacks (last_failed_at)
      where reported_at is null and last_failed_at - failing_since >= interval '5 days';
    create index failing_callbacks_reported on failing_callbacks (workspace_id) where reported_at is not null;
    create index failing_callbacks_last_failed on failing_callbacks (last_failed_at);
    alter table audit_log add by_system boolean not null default false;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table audit_log drop by_system;
    drop table failing_callbacks;
  `);
}
