/** Creates the history of prices: every pricing of an endpoint, with the moment from which it is valid. */
import type { Knex } from 'knex';

/**
 * Every distinct pricing of an endpoint is kept, with the moment from which it is valid. The one with the highest id is
 * the present one. A version stays when its endpoint goes, because generations name it.
 *
 * Triggers write the versions, so that no way of writing prices can leave them out, not even the previous version of
 * Sluice. An upsert that changes no price adds nothing.
 */
const VERSIONS = `
  create table price_versions (
    id bigint generated always as identity primary key,
    valid_from timestamptz not null default now(),
    is_private boolean not null,
    endpoint_id text not null,
    pricing jsonb not null
  );
  create index price_versions_endpoint on price_versions (endpoint_id, id);
  comment on column price_versions.is_private is
    'True: the endpoint is a customer''s, in private_endpoints. False: it is in endpoints.';

  create function keep_price_version() returns trigger language plpgsql as $$
    begin
      insert into price_versions (endpoint_id, is_private, pricing)
      values (new.id::text, tg_table_name = 'private_endpoints', new.pricing);
      return null;
    end $$;
`;

const TABLES = ['endpoints', 'private_endpoints'];

/** Adds the triggers before existing prices are read: writers wait until the commit, so that no change is missed. */
const versionsOf = (table: string): string => `
  create trigger ${table}_price_insert after insert on ${table}
    for each row execute function keep_price_version();
  create trigger ${table}_price_update after update of pricing on ${table}
    for each row when (old.pricing is distinct from new.pricing) execute function keep_price_version();
  insert into price_versions (endpoint_id, is_private, pricing, valid_from)
  select id::text, ${table === 'private_endpoints'}, pricing, updated_at from ${table} order by id;
`;

/** Creates the history of prices, with the present prices of all endpoints. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [VERSIONS, ...TABLES.map(versionsOf)]) await knex.raw(part);
}

export async function down(knex: Knex): Promise<void> {
  for (const table of TABLES) {
    await knex.raw(
      `drop trigger ${table}_price_insert on ${table}; drop trigger ${table}_price_update on ${table}`,
    );
  }
  await knex.raw('drop table price_versions; drop function keep_price_version()');
}
