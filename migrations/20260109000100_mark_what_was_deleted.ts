import type { Knex } from 'knex';

/**
 * What was deleted looks so to versions that do not know `deleted_at`, while they still run beside this one and after
 * a step back: a key has expired, so that enabling it does not revive it, and a workspace has no slug that another may
 * have. From here on deletion writes this itself.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    update api_keys set expires_at = least(expires_at, deleted_at)
    where deleted_at is not null and (expires_at is null or expires_at > deleted_at);
    update workspaces set slug = 'deleted-' || id where deleted_at is not null;
  `);
}

/** Stays as it is: no version shows what these were before, and the marks are for those to which this steps back. */
export async function down(): Promise<void> {}
