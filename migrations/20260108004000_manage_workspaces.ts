import type { Knex } from 'knex';

/**
 * Workspaces as they are managed. A deleted one keeps its row, for the jobs, the keys and the usage that name it, and
 * gives its slug back; the index that says so keeps the name of the constraint it replaces, by which every version
 * knows what was violated.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table workspaces
      add deleted_at timestamptz,
      add constraint workspaces_default_stays check (not is_default or deleted_at is null),
      drop constraint workspaces_organization_id_slug_key;
    create unique index workspaces_organization_id_slug_key on workspaces (organization_id, slug)
      where deleted_at is null;
    create index workspaces_oldest on workspaces (organization_id, created_at, id);

    alter table organizations add is_filtered_model_catalog_enabled boolean not null default false;
  `);
}

/** Every slug is of one workspace again: where a living one has that of a deleted one, the deleted one gets another. */
export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table organizations drop is_filtered_model_catalog_enabled;

    drop index workspaces_oldest;
    drop index workspaces_organization_id_slug_key;
    update workspaces deleted set slug = 'deleted-' || case when exists (
        select from workspaces living where living.organization_id = deleted.organization_id
          and living.deleted_at is null and living.slug = 'deleted-' || deleted.id
      ) then gen_random_uuid() else deleted.id end
    where deleted_at is not null;
    alter table workspaces
      drop constraint workspaces_default_stays,
      drop deleted_at,
      add constraint workspaces_organization_id_slug_key unique (organization_id, slug);
  `);
}
