import type { Knex } from 'knex';

/**
 * The webhook outbox: a delivery is written by the same transaction that ends the job, with the exact bytes
 * that every attempt sends, and each attempt leaves a row.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.raw(`
    create table webhook_secrets (
      id uuid primary key,
      workspace_id uuid not null references workspaces,
      sealed_secret text not null,
      created_at timestamptz not null default now(),
      retires_at timestamptz
    );
    create unique index webhook_secrets_current on webhook_secrets (workspace_id) where retires_at is null;
    create index webhook_secrets_workspace on webhook_secrets (workspace_id);

    create table webhook_deliveries (
      id uuid primary key,
      job_id text not null references video_jobs,
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
    create index webhook_deliveries_organization on webhook_deliveries (organization_id);
    create index webhook_deliveries_undispatched on webhook_deliveries (created_at)
      where status = 'pending' and dispatched_at is null;

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
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.raw(`drop table webhook_attempts, webhook_deliveries, webhook_secrets;`);
}
