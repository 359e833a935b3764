/** Creates the tables of presets, their versions, and the size of all versions in a workspace. */
import type { Knex } from 'knex';

/**
 * A preset has versions, which never change; one of them is designated. A writer increases `last_version` under the
 * row's lock, so two writers get consecutive numbers.
 *
 * `config` is `json`, not `jsonb`: a model writes the fields of a response schema in the order in which the schema
 * names them, and `jsonb` does not keep that order.
 */
const PRESETS = `
  create table presets (
    id uuid primary key,
    workspace_id uuid not null references workspaces,
    slug text not null check (slug ~ '^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}$'),
    name text not null,
    description text,
    status text not null default 'active' check (status in ('active', 'disabled', 'archived')),
    status_updated_at timestamptz,
    last_version integer not null default 1 check (last_version > 0),
    designated_version_id uuid not null,
    creator_user_id text references users,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (workspace_id, slug)
  );
  create index presets_newest on presets (workspace_id, updated_at desc, id desc);
  create index presets_designated_version on presets (designated_version_id);
  create index presets_creator on presets (creator_user_id);

  create table preset_versions (
    id uuid primary key,
    preset_id uuid not null references presets,
    version integer not null check (version > 0),
    config json not null,
    system_prompt text,
    creator_id text not null,
    created_at timestamptz not null default now(),
    unique (preset_id, version)
  );
  -- A preset and its first version need each other, so Postgres checks when both are there.
  alter table presets add foreign key (designated_version_id) references preset_versions
    deferrable initially deferred;
`;

/**
 * The size of all versions of presets in a workspace, at least 1 KiB each. A writer of a version adds its bytes under
 * the row's lock, so concurrent writers cannot exceed the limit together.
 */
const PRESET_STORAGE = `
  create table preset_storage (
    workspace_id uuid primary key references workspaces,
    bytes bigint not null check (bytes >= 0)
  );
`;

/** Every API process caches presets. The trigger announces each change, so that no process uses an outdated one. */
const NOTICES = `
  create function notify_preset() returns trigger language plpgsql as $$
    begin
      perform pg_notify('sluice_presets', new.workspace_id || '/' || new.slug);
      return null;
    end $$;
  create trigger presets_notify after insert or update on presets
    for each row execute function notify_preset();
`;

/** Creates presets, their versions and the size of these. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [PRESETS, PRESET_STORAGE, NOTICES]) await knex.raw(part);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table preset_storage, presets, preset_versions;
    drop function notify_preset();
  `);
}
