/** Creates the tables of webhook secrets, deliveries, attempts and failing callback URLs. */
import type { Knex } from 'knex';

/** A workspace signs its webhooks with its current secret, and with earlier ones until they retire. */
const WEBHOOK_SECRETS = `
  create table webhook_secrets (
    id uuid primary key,
    workspace_id uuid not null references workspaces,
    sealed_secret text not null,
    created_at timestamptz not null default now(),
    retires_at timestamptz
  );
  create unique index webhook_secrets_current on webhook_secrets (workspace_id) where retires_at is null;
  create index webhook_secrets_workspace on webhook_secrets (workspace_id);
`;

/**
 * Stores the outbox of webhooks. The transaction that ends a job also writes its delivery, with the exact bytes that
 * every attempt sends. `job_id` is null for events without a video job. Each attempt has a row.
 */
const WEBHOOK_DELIVERIES = `
  create table webhook_deliveries (
    id uuid primary key,
    job_id text references video_jobs,
    organization_id uuid not null references organizations,
    workspace_id uuid not null references workspaces,
    event_id text not null unique,
    event_type text not null,
    url text not null,
    payload text not null,
    status text not null default 'pending'
      check (status in ('pending', 'delivered', 'exhausted', 'stopped')),
    replays integer not null default 0,
    dispatched_at timestamptz,
    completed_at timestamptz,
    created_at timestamptz not null default now()
  );
  create index webhook_deliveries_job on webhook_deliveries (job_id);
  create index webhook_deliveries_workspace on webhook_deliveries (workspace_id, created_at desc, id desc);
  create index webhook_deliveries_organization_newest
    on webhook_deliveries (organization_id, created_at desc, id desc);
  -- The sweep looks for deliveries that no run was started for, and for those whose run was lost. Organizations take
  -- turns.
  create index webhook_deliveries_undispatched on webhook_deliveries (created_at)
    where status = 'pending' and dispatched_at is null;
  create index webhook_deliveries_waiting on webhook_deliveries (organization_id, created_at)
    where status = 'pending' and dispatched_at is null;
  create index webhook_deliveries_dispatched on webhook_deliveries (dispatched_at)
    where status = 'pending' and dispatched_at is not null;
  -- Deliveries of a job are deleted with the job; the others in the order of their end.
  create index webhook_deliveries_ended_without_job on webhook_deliveries (completed_at) where job_id is null;

  create table webhook_attempts (
    delivery_id uuid not null references webhook_deliveries,
    replay integer not null,
    attempt integer not null,
    outcome text not null default 'sending'
      check (outcome in ('sending', 'delivered', 'failed', 'refused')),
    status_code integer,
    reason text,
    response_excerpt text,
    started_at timestamptz not null default now(),
    finished_at timestamptz,
    primary key (delivery_id, replay, attempt)
  );
`;

/**
 * Failing callbacks are the URLs of a workspace that have failed since their last success. They are found by a hash,
 * because a URL may be too long for an index entry.
 */
const FAILING_CALLBACKS = `
  create table failing_callbacks (
    workspace_id uuid not null references workspaces,
    url_hash bytea not null,
    url text not null,
    failing_since timestamptz not null default now(),
    last_failed_at timestamptz not null default now(),
    reported_at timestamptz,
    primary key (workspace_id, url_hash)
  );
  create index failing_callbacks_unreported on failing_callbacks (last_failed_at)
    where reported_at is null and last_failed_at - failing_since >= interval '5 days';
  create index failing_callbacks_reported on failing_callbacks (workspace_id) where reported_at is not null;
  create index failing_callbacks_last_failed on failing_callbacks (last_failed_at);
`;

/** Creates the secrets, deliveries and attempts of webhooks, and the list of failing URLs. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [WEBHOOK_SECRETS, WEBHOOK_DELIVERIES, FAILING_CALLBACKS]) await knex.raw(part);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table failing_callbacks, webhook_attempts, webhook_deliveries, webhook_secrets');
}
