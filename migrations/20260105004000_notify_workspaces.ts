import type { Knex } from 'knex';

/** Every request goes by the settings of its workspace, which each process keeps in memory until it is told. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create function notify_workspace() returns trigger language plpgsql as $$
      begin
        perform pg_notify('sluice_workspaces', old.id::text);
        return null;
      end $$;
    create trigger workspaces_notify after update or delete on workspaces
      for each row execute function notify_workspace();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop trigger workspaces_notify on workspaces;
    drop function notify_workspace();
  `);
}
