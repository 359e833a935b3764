import type { Knex } from 'knex';

/**
 * Holds the tools that a workspace forwards its generations to, and how far each of them is.
 *
 * `observability_destinations` is what the owner decides; it changes rarely, and each change announces its workspace as
 * changed, because the workspace's cached settings say what to gather. `config_sealed` is the whole configuration,
 * encrypted; `config_shown` is the same with masks in place of secrets, so that lists decrypt nothing.
 *
 * `broadcast_progress` is what the delivery writes after each batch. `failures` counts failed attempts since the last
 * success, `batch_failures` those of the batch that is under way.
 *
 * `broadcast_heads` holds the latest position of the log of a workspace, in one row for each shard of the ledger. Positions
 * must never repeat, so a head is never deleted or reset while its workspace exists. `moved_at` never goes back; it is the
 * time of the latest position, or of the moment when logging began. A workspace without heads never had a destination.
 *
 * `broadcast_cursors` holds the last position that a destination is done with, and the time of that position, by which
 * the reader skips old partitions of the log.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table observability_destinations (
      id uuid primary key,
      organization_id uuid not null references organizations,
      workspace_id uuid not null references workspaces,
      type text not null,
      name text,
      enabled boolean not null,
      config_sealed text not null,
      config_shown jsonb not null,
      api_key_hashes text[],
      regions text[] not null,
      filter_rules jsonb,
      sampling_rate double precision not null check (sampling_rate > 0 and sampling_rate <= 1),
      privacy_mode boolean not null,
      sends_cost boolean not null,
      sends_cost_allocation boolean not null,
      sends_identity boolean not null,
      sends_request_context boolean not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );
    create index observability_destinations_workspace on observability_destinations (workspace_id, created_at);
    create index observability_destinations_organization on observability_destinations (organization_id, created_at);

    create function notify_workspace_of_destination() returns trigger language plpgsql as $$
      begin
        perform pg_notify('sluice_workspaces', coalesce(new.workspace_id, old.workspace_id)::text);
        return null;
      end $$;
    create trigger observability_destinations_notify after insert or update or delete on observability_destinations
      for each row execute function notify_workspace_of_destination();

    create table broadcast_progress (
      destination_id uuid primary key references observability_destinations on delete cascade,
      state text not null default 'idle'
        check (state in ('idle', 'running', 'backing_off', 'needs_attention', 'disabled')),
      reason text,
      next_attempt_at timestamptz,
      seen_at timestamptz,
      failing_since timestamptz,
      failures integer not null default 0,
      batch_failures integer not null default 0,
      delivered bigint not null default 0,
      rejected bigint not null default 0,
      without_content bigint not null default 0,
      given_up bigint not null default 0,
      dead_lettered bigint not null default 0
    );

    create table broadcast_heads (
      workspace_id uuid not null references workspaces,
      shard smallint not null,
      pos bigint not null default 0,
      moved_at timestamptz not null default now(),
      is_logged boolean not null,
      logged_since timestamptz not null default now(),
      primary key (workspace_id, shard)
    );

    create table broadcast_cursors (
      destination_id uuid not null references observability_destinations on delete cascade,
      shard smallint not null,
      pos bigint not null,
      moved_at timestamptz not null,
      primary key (destination_id, shard)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop table broadcast_cursors, broadcast_heads, broadcast_progress, observability_destinations;
    drop function notify_workspace_of_destination();
  `);
}
