/**
 * Creates the table of generations that counters and rollups do not contain yet. The statement that an answer waits for
 * writes its rows there, and a later one moves them into the sums.
 *
 * `written_by` is the transaction that wrote a row, and `ledger_sums.reached` a transaction before which none is left:
 * readers of the table begin there. So rows that were deleted, but which a backup's snapshot keeps, cost nothing. A
 * database that was restored from a dump counts transactions from the beginning; there, `reached` is greater than any
 * running transaction, and does not apply until the next sums are made.
 *
 * Limits, balances and keys read `unsummed`: what is spent is always a counter and these rows, in one snapshot.
 */
import type { Knex } from 'knex';

const TABLES = `
  create table unsummed_generations (
    written_by xid8 not null default pg_current_xact_id(),
    settled_at timestamptz not null,
    key_id bigint not null,
    organization_id uuid not null,
    workspace_id uuid not null,
    tokens_prompt integer,
    tokens_completion integer,
    tokens_reasoning integer,
    tokens_cache_read integer,
    media_prompt integer,
    media_completion integer,
    latency_ms integer,
    generation_ms integer,
    api_type api_type not null,
    status generation_status not null,
    is_byok boolean not null,
    model text collate "C" not null,
    provider text collate "C" not null,
    cost_nanos numeric(30, 0) not null
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
  create index unsummed_generations_written_by on unsummed_generations (written_by);

  create table ledger_sums (
    is_only boolean primary key default true check (is_only),
    reached xid8 not null default '0',
    reached_at timestamptz not null default now()
  ) with (fillfactor = 10);
  insert into ledger_sums default values;
  comment on column ledger_sums.reached_at is 'All rows that were committed before this moment are in the sums.';

  create function unsummed_from() returns xid8 stable language sql as $$
    select case when reached <= pg_snapshot_xmin(pg_current_snapshot()) then reached else '0' end from ledger_sums
  $$;

  create view unsummed as
    select *, (settled_at at time zone 'UTC')::date settled_on,
      case when is_byok then 0 else cost_nanos end usage_nanos,
      case when is_byok then cost_nanos else 0 end byok_usage_nanos
    from unsummed_generations where written_by >= (select unsummed_from());
`;

/** The trigger's function of 20261128005100_create_spending.ts, with what is not summed yet. */
const USE_BEFORE_CREDIT = (unsummed: string): string => `
  create or replace function note_use_before_credit() returns trigger language plpgsql as $$
    begin
      select coalesce(sum(usage_nanos), 0) into new.used_nanos from (
        select usage_nanos from organization_usage_totals where organization_id = new.organization_id
        ${unsummed}
      ) used;
      return new;
    end $$;
`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(TABLES);
  await knex.raw(
    USE_BEFORE_CREDIT(`union all
        select usage_nanos from unsummed where organization_id = new.organization_id`),
  );
}

/** Refuses while generations wait for their sums, because nothing would add them later. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table unsummed_generations;
    do $$ begin
      if exists (select from unsummed_generations) then
        raise exception 'some generations are not in the counters yet; try again in a second';
      end if;
    end $$`);
  await knex.raw(USE_BEFORE_CREDIT(''));
  await knex.raw(
    'drop view unsummed; drop function unsummed_from(); drop table unsummed_generations, ledger_sums',
  );
}
