/** Removes secrets in URLs from the settings of observability destinations that are stored in clear. */
import type { Knex } from 'knex';

/**
 * Replaces path and query of each URL by `/...`, without regard to their contents: `https://app.example/hooks?token=a`
 * becomes `https://app.example/...`. The encrypted settings keep the URL. The API makes the exact mask from them when
 * it starts (`services/encryption/renew-masks.ts`), because a migration has no keys to open them. Answers that are
 * stored for an `Idempotency-Key` keep the short mask for the rest of their day.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`update observability_destinations set config_shown = ${masked('config_shown')}`);
  await knex.raw(`
    update remembered_answers set body = jsonb_set(body, '{data,config}', ${masked("body #> '{data,config}'")})
    where operation = 'createObservabilityDestination' and jsonb_typeof(body #> '{data,config}') = 'object'
  `);
}

/** Does nothing: only the encrypted settings still have the URLs. */
export async function down(): Promise<void> {}

function masked(config: string): string {
  return `(
    select coalesce(jsonb_object_agg(key, case
      when key in ('host', 'url', 'baseUrl', 'endpoint', 'otlpEndpoint')
        then to_jsonb(regexp_replace(value #>> '{}', '^(https\\?://[^/\\?#\\\\]*)[/\\?#\\\\].+$', '\\1/...', 'i'))
      else value end), '{}')
    from jsonb_each(${config}))`;
}
