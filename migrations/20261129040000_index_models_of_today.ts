/**
 * Gives the ledger's future days a summary of the models in every sixteen pages, with which lists by model skip most of
 * today's generations. Unlike an index with an entry for each row, it costs the ledger nothing that can be measured.
 * Days that have begun do without it until they are over and get the indexes of lists.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  // Days are created like their parent, with its indexes. Postgres summarizes a range once its pages are full.
  await knex.raw(`
    create index generations_models on only generations
    using brin (model text_bloom_ops) with (pages_per_range = 16, autosummarize = on)`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index generations_models');
}
