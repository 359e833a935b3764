import type { Knex } from 'knex';

/**
 * What a workspace decides for the requests of its keys (wire: §12). `default_guardrail_id` names a guardrail
 * that comes to be when it is first configured. `io_logging_api_key_ids` is no foreign key: a key that is
 * deleted or moved matches nothing and is in nobody's way.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table workspaces
      add default_guardrail_id uuid not null unique default gen_random_uuid(),
      add default_text_model text,
      add default_image_model text,
      add default_provider_sort text
        check (default_provider_sort in ('price', 'throughput', 'latency', 'exacto')),
      add disabled_server_tools text[] check (cardinality(disabled_server_tools) > 0),
      add io_logging_api_key_ids bigint[],
      add io_logging_sampling_rate double precision not null default 1
        check (io_logging_sampling_rate between 0.0001 and 1),
      add is_data_discount_logging_enabled boolean not null default false,
      add is_observability_broadcast_enabled boolean not null default true,
      add is_observability_io_logging_enabled boolean not null default false,
      add include_byok_in_budgets boolean not null default false;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    alter table workspaces
      drop default_guardrail_id,
      drop default_text_model,
      drop default_image_model,
      drop default_provider_sort,
      drop disabled_server_tools,
      drop io_logging_api_key_ids,
      drop io_logging_sampling_rate,
      drop is_data_discount_logging_enabled,
      drop is_observability_broadcast_enabled,
      drop is_observability_io_logging_enabled,
      drop include_byok_in_budgets;
  `);
}
