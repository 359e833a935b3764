import type { Knex } from 'knex';

/** A management key lists the deliveries of its whole organization, newest first: no longer by sorting them all. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create index webhook_deliveries_organization_newest
      on webhook_deliveries (organization_id, created_at desc, id desc);
    drop index webhook_deliveries_organization;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create index webhook_deliveries_organization on webhook_deliveries (organization_id);
    drop index webhook_deliveries_organization_newest;
  `);
}
