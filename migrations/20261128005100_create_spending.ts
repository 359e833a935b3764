/** Creates the tables of spending counters, usage rollups, credit and budget alerts. */
import type { Knex } from 'knex';

/**
 * Counters have the usage that limits, budgets and `GET /key` read. `settled_on` is the UTC day on which the generation
 * was settled, which determines its period.
 *
 * Counters are sharded, so that one busy customer does not update one row only. Half of each page stays free: if the
 * new version of an updated row fits on the same page, it needs no new index entry.
 */
const COUNTERS = `
  create table key_usage (
    key_id bigint not null,
    settled_on date not null,
    shard smallint not null,
    usage_nanos numeric(30, 0) not null,
    byok_usage_nanos numeric(30, 0) not null,
    request_count bigint not null,
    primary key (key_id, settled_on, shard)
  ) with (fillfactor = 50);

  create table key_usage_totals (
    key_id bigint not null,
    shard smallint not null,
    usage_nanos numeric(30, 0) not null,
    byok_usage_nanos numeric(30, 0) not null,
    request_count bigint not null,
    primary key (key_id, shard)
  ) with (fillfactor = 50);

  create table workspace_usage (
    workspace_id uuid not null,
    settled_on date not null,
    shard smallint not null,
    usage_nanos numeric(30, 0) not null,
    byok_usage_nanos numeric(30, 0) not null,
    request_count bigint not null,
    primary key (workspace_id, settled_on, shard)
  ) with (fillfactor = 50);

  create table organization_usage_totals (
    organization_id uuid not null,
    shard smallint not null,
    usage_nanos numeric(30, 0) not null,
    byok_usage_nanos numeric(30, 0) not null,
    request_count bigint not null,
    primary key (organization_id, shard)
  ) with (fillfactor = 50);
`;

/** Returns the definitions of the buckets of one histogram (domain/ledger/histogram.ts). */
function buckets(name: string, count: number): string {
  return Array.from({ length: count }, (_, n) => `${name}_${n} integer not null`).join(', ');
}

/**
 * Rollups have the usage by UTC hour and day, and by all dimensions that analytics groups by. Their rows are never
 * deleted. The buckets of the histograms are columns: arrays cost as much to write, and fifteen times as much to add
 * up.
 */
const ROLLUPS = `
  create table hourly_usage (
    bucket timestamptz not null,
    key_id bigint not null,
    organization_id uuid not null,
    workspace_id uuid not null,
    tokens_prompt bigint not null,
    tokens_completion bigint not null,
    tokens_reasoning bigint not null,
    tokens_cache_read bigint not null,
    media_prompt bigint not null,
    media_completion bigint not null,
    latency_ms bigint not null,
    throughput_ms bigint not null,
    throughput_tokens bigint not null,
    request_count integer not null,
    error_count integer not null,
    cancelled_count integer not null,
    latency_count integer not null,
    ${buckets('latency', 25)},
    ${buckets('throughput', 19)},
    api_type api_type not null,
    shard smallint not null,
    is_byok boolean not null,
    model text collate "C" not null,
    provider text collate "C" not null,
    usage_nanos numeric(30, 0) not null,
    byok_usage_nanos numeric(30, 0) not null,
    primary key (workspace_id, bucket, key_id, model, provider, api_type, is_byok, shard)
  ) with (fillfactor = 80);
  comment on column hourly_usage.error_count is 'Failed and expired; cancelled ones are counted apart.';
  comment on column hourly_usage.latency_ms is 'The sum over the latency_count whose latency is known.';
  comment on column hourly_usage.throughput_ms is
    'The time of those that made tokens, which are throughput_tokens in all.';

  create table daily_usage (like hourly_usage including constraints including storage) with (fillfactor = 80);
  alter table daily_usage
    add primary key (workspace_id, bucket, key_id, model, provider, api_type, is_byok, shard);
`;

/**
 * Stores the credit of organizations. A trigger adds to each entry what the organization had used until then, from
 * which the balance at that moment can be computed.
 */
const CREDIT = `
  create table credit_entries (
    id uuid primary key,
    organization_id uuid not null references organizations,
    amount_nanos numeric(30, 0) not null,
    used_nanos numeric(30, 0) not null,
    note text not null default '',
    created_at timestamptz not null default now()
  );
  create index credit_entries_organization on credit_entries (organization_id);

  create function note_use_before_credit() returns trigger language plpgsql as $$
    begin
      select coalesce(sum(usage_nanos), 0) into new.used_nanos
      from organization_usage_totals where organization_id = new.organization_id;
      return new;
    end $$;
  create trigger credit_entries_note_use before insert on credit_entries
    for each row execute function note_use_before_credit();
`;

/**
 * An alert is a threshold that spending has reached. It is stored once in a period, so that nobody receives it twice.
 * `payer_id` is the numeric id of a key or the UUID of a workspace or organization. `is_refusal` says that the limit
 * refused a request, which may come early, for a large request: alerts of lower thresholds still follow it.
 *
 * `budget_alert_scan` has one row, shared by all workers: the time when the latest scan of all limits began, and its
 * position. `payer` is null while no scan is running. Periods that ended before `created_at` get no alerts.
 */
const BUDGET_ALERTS = `
  create table budget_alerts (
    payer text not null check (payer in ('key', 'workspace', 'organization')),
    payer_id text not null,
    period text not null,
    threshold smallint not null,
    period_ends_at timestamptz,
    is_refusal boolean not null default false,
    created_at timestamptz not null default now(),
    primary key (payer, payer_id, period, threshold)
  );
  create index budget_alerts_ended on budget_alerts (period_ends_at) where period_ends_at is not null;

  create table budget_alert_scan (
    is_only_row boolean primary key default true check (is_only_row),
    began_at timestamptz not null default '-infinity',
    payer text check (payer in ('key', 'workspace', 'organization')),
    after_id text,
    created_at timestamptz not null default now(),
    check ((payer is null) = (after_id is null))
  );
  insert into budget_alert_scan default values;
`;

/** Creates counters, rollups, credit and budget alerts. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [COUNTERS, ROLLUPS, CREDIT, BUDGET_ALERTS]) await knex.raw(part);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table budget_alert_scan, budget_alerts, credit_entries, daily_usage, hourly_usage, organization_usage_totals,
      workspace_usage, key_usage_totals, key_usage;
    drop function note_use_before_credit();
  `);
}
