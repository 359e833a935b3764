/** Adds the size of all versions of presets, by workspace. */
import type { Knex } from 'knex';

/**
 * A writer of a version adds its bytes under the row's lock, so concurrent writers cannot exceed the limit together.
 * Versions that exist count like new ones: at least 1 KiB each.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table preset_storage (
      workspace_id uuid primary key references workspaces,
      bytes bigint not null check (bytes >= 0)
    );
    insert into preset_storage (workspace_id, bytes)
      select p.workspace_id,
             sum(greatest(octet_length(v.config::text) + coalesce(octet_length(v.system_prompt), 0), 1024))
      from preset_versions v join presets p on p.id = v.preset_id group by p.workspace_id;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table preset_storage');
}
