/** Records since when an organization is disabled. */
import type { Knex } from 'knex';

/**
 * While `disabled_at` is set, no key and no directory token of the organization is valid. API processes cache keys, so
 * a trigger announces the keys of an organization that is disabled or enabled.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table organizations add column disabled_at timestamptz;
    create trigger organizations_notify_disabled after update of disabled_at on organizations
      for each row when (old.disabled_at is distinct from new.disabled_at)
      execute function notify_keys_of_organization();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger organizations_notify_disabled on organizations;
    alter table organizations drop column disabled_at;
  `);
}
