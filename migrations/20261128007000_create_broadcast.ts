/** Creates the tables of observability destinations and their delivery. */
import type { Knex } from 'knex';

/**
 * A destination is a tool that a workspace forwards its generations to. Its row has the owner's settings and changes
 * rarely. `config_sealed` is the whole configuration, encrypted; `config_shown` is the same with masks in place of
 * secrets, so that lists decrypt nothing. Processes cache with a workspace what its destinations need, so each change
 * announces the workspace.
 */
const DESTINATIONS = `
  create table observability_destinations (
    id uuid primary key,
    organization_id uuid not null references organizations,
    workspace_id uuid not null references workspaces,
    type text not null,
    name text,
    enabled boolean not null,
    config_sealed text not null,
    config_shown jsonb not null,
    api_key_hashes text[],
    regions text[] not null,
    filter_rules jsonb,
    sampling_rate double precision not null check (sampling_rate > 0 and sampling_rate <= 1),
    privacy_mode boolean not null,
    sends_cost boolean not null,
    sends_cost_allocation boolean not null,
    sends_identity boolean not null,
    sends_request_context boolean not null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create index observability_destinations_workspace on observability_destinations (workspace_id, created_at);
  create index observability_destinations_organization on observability_destinations (organization_id, created_at);

  create function notify_workspace_of_destination() returns trigger language plpgsql as $$
    begin
      perform pg_notify('sluice_workspaces', coalesce(new.workspace_id, old.workspace_id)::text);
      return null;
    end $$;
  create trigger observability_destinations_notify after insert or update or delete on observability_destinations
    for each row execute function notify_workspace_of_destination();
`;

/**
 * The delivery writes its progress after each batch.
 *
 * `failures` counts failed attempts since the last success, `batch_failures` those of the current batch. `failed_batch`
 * is the end of the batch that failed last, one position per shard: its repetition must contain the same generations,
 * so that a tool can recognize it. `is_failure_reported` says that an event has reported the destination as paused or
 * disabled: the next success then reports the recovery, even if attempts failed in other ways in between.
 *
 * `waiting_since` is the time at which a destination had generations to send and no pump. It is null while a pump
 * works, and while there is nothing to send. `undecided` counts generations that filters could not decide for want of
 * their prompt and answer; those that were decided later are subtracted again.
 *
 * A cursor is the last position in a shard that a destination has processed. Its time tells the reader which old
 * partitions of the log it can skip.
 */
const PROGRESS = `
  create table broadcast_progress (
    destination_id uuid primary key references observability_destinations on delete cascade,
    state text not null default 'idle'
      check (state in ('idle', 'running', 'backing_off', 'needs_attention', 'disabled')),
    reason text,
    next_attempt_at timestamptz,
    nudged_at timestamptz,
    touched_at timestamptz,
    failing_since timestamptz,
    failures integer not null default 0,
    batches bigint not null default 0,
    batch_failures integer not null default 0,
    failed_batch json,
    is_failure_reported boolean not null default false,
    delivered bigint not null default 0,
    rejected bigint not null default 0,
    without_content bigint not null default 0,
    given_up bigint not null default 0,
    dead_letters bigint not null default 0,
    undecided bigint not null default 0,
    waiting_since timestamptz
  );
  create index broadcast_progress_waiting on broadcast_progress (waiting_since) where waiting_since is not null;

  create table broadcast_cursors (
    destination_id uuid not null references observability_destinations on delete cascade,
    shard smallint not null,
    pos bigint not null,
    moved_at timestamptz not null,
    primary key (destination_id, shard)
  );
`;

/**
 * An attempt is the outcome of sending a batch. Failed attempts are kept for seven days and have no slot. Of the
 * successful ones, each destination keeps the latest hundred: `slot` is the number of the batch modulo 100, so a new
 * row replaces the oldest.
 */
const ATTEMPTS = `
  create table broadcast_attempts (
    id bigint generated always as identity primary key,
    destination_id uuid not null references observability_destinations on delete cascade,
    slot smallint,
    at timestamptz not null default now(),
    outcome text not null check (outcome in ('delivered', 'failed')),
    events integer not null,
    bytes integer,
    status smallint,
    reason text,
    response_excerpt text,
    took_ms integer not null,
    unique (destination_id, slot)
  );
  create index broadcast_attempts_newest on broadcast_attempts (destination_id, at desc, id desc);
  create index broadcast_attempts_failed on broadcast_attempts (at) where slot is null;
`;

/**
 * Dead letters are generations that the tool refused for their content. They are kept for seven days, and sent again
 * after a replay was requested (`replay_requested_at`). `content_sealed` is the prompt and the answer, encrypted; null
 * if the destination receives none.
 */
const DEAD_LETTERS = `
  create table broadcast_dead_letters (
    id uuid primary key,
    destination_id uuid not null references observability_destinations on delete cascade,
    created_at timestamptz not null,
    generation_id text collate "C" not null,
    facts json,
    content_sealed text,
    reason text not null,
    status smallint,
    died_at timestamptz not null default now(),
    replay_requested_at timestamptz,
    unique (destination_id, generation_id)
  );
  create index broadcast_dead_letters_newest on broadcast_dead_letters (destination_id, died_at desc, id desc);
  create index broadcast_dead_letters_replay on broadcast_dead_letters (destination_id, replay_requested_at)
    where replay_requested_at is not null;
  create index broadcast_dead_letters_old on broadcast_dead_letters (died_at);
`;

/**
 * An undecided generation is one that a destination has passed: a filter tests the prompt or the answer, and neither
 * had been stored. The pump decides about it when they are. `passed_at` limits how long it waits for that.
 */
const UNDECIDED = `
  create table broadcast_undecided (
    destination_id uuid not null references observability_destinations on delete cascade,
    generation_id text collate "C" not null,
    created_at timestamptz not null,
    settled_at timestamptz not null,
    facts json,
    passed_at timestamptz not null default now(),
    primary key (destination_id, generation_id)
  );
`;

/** Creates destinations with their progress, cursors, attempts, dead letters and undecided generations. */
export async function up(knex: Knex): Promise<void> {
  for (const part of [DESTINATIONS, PROGRESS, ATTEMPTS, DEAD_LETTERS, UNDECIDED]) await knex.raw(part);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table broadcast_undecided, broadcast_dead_letters, broadcast_attempts, broadcast_cursors, broadcast_progress,
      observability_destinations;
    drop function notify_workspace_of_destination();
  `);
}
