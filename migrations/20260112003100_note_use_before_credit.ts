import type { Knex } from 'knex';

/**
 * Notes with each credit entry what its organization had used until then, from which the balance at that moment follows.
 * A trigger notes it, so that entries by processes of the version before have it too. For entries that are there
 * already, it is what was used until this migration.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table credit_entries add used_nanos numeric(30, 0);

    create function note_use_before_credit() returns trigger language plpgsql as $$
      begin
        select coalesce(sum(usage_nanos), 0) into new.used_nanos
        from organization_usage_totals where organization_id = new.organization_id;
        return new;
      end $$;
    create trigger credit_entries_note_use before insert on credit_entries
      for each row execute function note_use_before_credit();

    update credit_entries e set used_nanos = (
      select coalesce(sum(usage_nanos), 0) from organization_usage_totals where organization_id = e.organization_id);
    alter table credit_entries alter column used_nanos set not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    drop trigger credit_entries_note_use on credit_entries;
    drop function note_use_before_credit();
    alter table credit_entries drop used_nanos;
  `);
}
