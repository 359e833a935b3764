import type { Knex } from 'knex';

/** Rerank, pictures and speech in the catalog; what an endpoint of theirs takes is in `capabilities`. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table endpoints
      drop constraint endpoints_capability,
      add constraint endpoints_capability
        check (capability in ('video', 'chat', 'embeddings', 'rerank', 'image', 'speech'));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    delete from endpoints where capability in ('rerank', 'image', 'speech');
    alter table endpoints
      drop constraint endpoints_capability,
      add constraint endpoints_capability check (capability in ('video', 'chat', 'embeddings'));
  `);
}
