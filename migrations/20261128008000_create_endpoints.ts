/** Creates the tables of customers' vendor keys, private endpoints and their validations. */
import type { Knex } from 'knex';

/**
 * A credential is a customer's own key of a vendor. `sealed` is the secret, encrypted for its row; `label` shows its
 * ends, so lists decrypt nothing. `secret_version` changes with the secret. `origin` is the only origin that receives
 * the secret; null stands for the address of the vendor itself. A null `workspace_id` stands for every workspace of the
 * organization. A deleted credential has no row.
 */
const CREDENTIALS = `
  create table byok_credentials (
    id uuid primary key,
    organization_id uuid not null references organizations,
    workspace_id uuid references workspaces,
    provider_slug text not null references providers,
    label text not null,
    name text,
    disabled boolean not null,
    is_fallback boolean not null,
    is_required boolean not null,
    is_byok_only boolean not null,
    declared_zdr boolean,
    declared_region text check (declared_region in ('global', 'europe', 'us')),
    base_url text,
    origin text,
    allowed_models text[],
    allowed_api_key_hashes text[],
    allowed_user_ids text[],
    sort_order integer not null check (sort_order between 0 and 10000),
    sealed text not null,
    secret_version uuid not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    check (not (is_fallback and is_byok_only))
  );
  create index byok_credentials_organization on byok_credentials (organization_id, created_at);
  create index byok_credentials_workspace on byok_credentials (workspace_id);
  create index byok_credentials_provider on byok_credentials (provider_slug);
`;

/**
 * A private endpoint is a customer's own deployment of a model, and belongs to the organization. `pricing` holds
 * decimal strings as the customer sent them, with defaults filled in. A deleted endpoint keeps its row, because
 * generations name it. `revision` counts the changes of the configuration.
 */
const PRIVATE_ENDPOINTS = `
  create table private_endpoints (
    id uuid primary key,
    organization_id uuid not null references organizations,
    model_id text not null references models,
    provider_slug text not null references providers,
    capability text not null check (capability in ('chat', 'embeddings')),
    upstream_model_id text not null,
    base_url text,
    declared_region text check (declared_region in ('global', 'europe', 'us')),
    declared_zdr boolean,
    declared_parameters text[],
    pricing jsonb not null,
    revision integer not null default 0,
    status text not null default 'draft' check (status in ('draft', 'active', 'disabled')),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz
  );
  create index private_endpoints_organization on private_endpoints (organization_id, created_at)
    where deleted_at is null;
  create index private_endpoints_model on private_endpoints (model_id);
  create index private_endpoints_provider on private_endpoints (provider_slug);
`;

/**
 * A validation is one run of the checks of an endpoint. It is valid for the revision that it tested, which is part of
 * `digest`: a configuration that is changed and changed back must be validated again.
 */
const VALIDATIONS = `
  create table private_endpoint_validations (
    id uuid primary key,
    endpoint_id uuid not null references private_endpoints on delete cascade,
    workspace_id uuid not null references workspaces,
    digest text not null,
    activates boolean not null,
    state text not null default 'running' check (state in ('running', 'passed', 'failed')),
    checks jsonb not null default '[]',
    created_at timestamptz not null default now(),
    finished_at timestamptz,
    check ((state = 'running') = (finished_at is null))
  );
  create index private_endpoint_validations_endpoint on private_endpoint_validations (endpoint_id, created_at);
  create index private_endpoint_validations_workspace on private_endpoint_validations (workspace_id);
  create unique index private_endpoint_validations_running
    on private_endpoint_validations (endpoint_id, workspace_id, digest) where state = 'running';
`;

/** Processes cache the credentials and endpoints of an organization. Each change announces the organization. */
const NOTICES = `
  create function notify_endpoints() returns trigger language plpgsql as $$
    begin
      perform pg_notify('sluice_endpoints', coalesce(new.organization_id, old.organization_id)::text);
      return null;
    end $$;
  create trigger byok_credentials_notify after insert or update or delete on byok_credentials
    for each row execute function notify_endpoints();
  create trigger private_endpoints_notify after insert or update or delete on private_endpoints
    for each row execute function notify_endpoints();
`;

/** Creates customers' own credentials and endpoints, and the validations of endpoints. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [CREDENTIALS, PRIVATE_ENDPOINTS, VALIDATIONS, NOTICES]) await knex.raw(part);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table private_endpoint_validations, private_endpoints, byok_credentials;
    drop function notify_endpoints();
  `);
}
